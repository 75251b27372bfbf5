import { hasExpired, type TokenTimes } from '../base/caller.ts';
import { clockToleranceSeconds } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';

/** Stands in for times that cannot be read. */
export const noTimes: TokenTimes = { expiresAtSeconds: 0, notBeforeSeconds: null, issuedAtSeconds: null };

export function readTimes(claims: JsonObject): TokenTimes {
  const expiresAtSeconds = optionalTime(claims, 'exp');
  if (expiresAtSeconds === null) throw new Refusal('expiry_missing');
  return {
    expiresAtSeconds,
    notBeforeSeconds: optionalTime(claims, 'nbf'),
    issuedAtSeconds: optionalTime(claims, 'iat'),
  };
}

/** Also asked of a token that was verified before: time goes on, and clocks are set back. */
export function checkTimes(times: TokenTimes, nowSeconds: number): void {
  const { notBeforeSeconds, issuedAtSeconds } = times;
  if (hasExpired(times, nowSeconds)) throw new Refusal('token_expired');
  const latestStart = nowSeconds + clockToleranceSeconds;
  if ((notBeforeSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');
  if ((issuedAtSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');
}

/** How long a token lives that does not say when it was issued cannot be told, so it counts as too long. */
export function checkLifetime(
  { expiresAtSeconds, issuedAtSeconds }: TokenTimes,
  mostSeconds: number | null,
): void {
  if (mostSeconds === null) return;
  if (issuedAtSeconds === null || expiresAtSeconds - issuedAtSeconds > mostSeconds)
    throw new Refusal('token_lifetime_too_long');
}

/** The end of the year 9999: past it a number is no time but a mistake, and no calendar can show it. */
const latestTimeSeconds = 253_402_300_799;

function optionalTime(claims: JsonObject, name: string): number | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= latestTimeSeconds))
    throw new Refusal('claim_invalid');
  return value;
}
