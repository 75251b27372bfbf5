import type { TokenTimes } from '../../base/caller.ts';
import { clockToleranceSeconds } from '../../base/clock.ts';
import { roughDuration } from '../../base/duration.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { judged, type Step } from './step.ts';

interface Lifetime {
  readonly maxLifetimeSeconds: number | null;
  /** What it is set by. */
  readonly setting: string;
}

/** The times of a token and how far they are from our clock; `code` is what the verifier says to them. */
export function timesStep(
  claims: JsonObject,
  code: ErrorCode | null,
  nowSeconds: number,
  { maxLifetimeSeconds, setting }: Lifetime,
): Step {
  const { exp, nbf, iat } = claims;
  const found = Object.entries({ iat, nbf, exp })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${distance(value, nowSeconds)}`)
    .join(', ');
  const lifetimeRule = maxLifetimeSeconds === null ? '' : `; from iat to exp at most ${maxLifetimeSeconds} s`;
  return judged('times', code, found, {
    expected: `iat and nbf past, exp to come, by our clock (${shownTime(nowSeconds)}) and ${clockToleranceSeconds} s more or less${lifetimeRule}`,
    found: found || 'none',
    advice: timesCause(claims, code, nowSeconds, { maxLifetimeSeconds, setting }),
  });
}

function timesCause(
  { exp, nbf, iat }: JsonObject,
  code: ErrorCode | null,
  nowSeconds: number,
  { maxLifetimeSeconds, setting }: Lifetime,
): string {
  if (code === 'expiry_missing') {
    return 'The token never expires (no "exp"), and such a token is not taken. Have it issued with one.';
  }
  if (code === 'token_expired') {
    const seconds = nowSeconds - Number(exp);
    return `The token expired ${roughDuration(seconds)} ago (${shownTime(Number(exp))}). Get a new one.`;
  }
  if (code === 'token_not_yet_valid') {
    const start = Math.max(Number(nbf ?? 0), Number(iat ?? 0));
    return `The token becomes valid in ${roughDuration(start - nowSeconds)} only (${shownTime(start)}): one of the clocks, ours or the provider's, is wrong. "npx vestibule doctor" compares them.`;
  }
  if (code === 'token_lifetime_too_long') {
    const lifetime =
      iat === undefined
        ? 'does not say when it was issued ("iat")'
        : `lives for ${roughDuration(Number(exp) - Number(iat))}`;
    return `The token ${lifetime}, and ${setting} is ${maxLifetimeSeconds}. Let the provider issue shorter ones, or raise it.`;
  }
  return 'A time in the token (exp, nbf, iat) is not a number of seconds since 1970.';
}

function distance(value: unknown, nowSeconds: number): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'is no time';
  const seconds = value - nowSeconds;
  return seconds < 0 ? `${roughDuration(seconds)} ago` : `in ${roughDuration(seconds)}`;
}

function shownTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** For what comes after a refusal: as far as they can be read at all. */
export function timesAsTheyAre({ exp, nbf, iat }: JsonObject): TokenTimes {
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  return { expiresAtSeconds: number(exp) ?? 0, notBeforeSeconds: number(nbf), issuedAtSeconds: number(iat) };
}
