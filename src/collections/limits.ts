import { counted } from '../base/counted.ts';
import { durationForm, durationText, parseDuration, parseUnit, unitNames } from '../base/duration.ts';

export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

export interface CollectionLimits {
  readonly perUser: number;
  /** The largest size of the fields in JSON. */
  readonly bytes: number;
  readonly writes: Rate;
  /** For consumers registered less than `forMs` ago. */
  readonly newcomer: (Rate & { readonly forMs: number }) | null;
  /** The time after the last change; null is never. */
  readonly expireMs: number | null;
  /** Records in which one person has a role by invitation. */
  readonly memberships: number;
}

/** The limits of a collection: their defaults, how they are declared, and how they are shown. */

export const defaultLimits: CollectionLimits = {
  perUser: 1000,
  bytes: 16_384,
  writes: { count: 60, windowMs: 60_000 },
  newcomer: null,
  expireMs: null,
  memberships: 100,
};

export const perUserRange = { minimum: 1, maximum: 1_000_000 } as const;
export const bytesRange = { minimum: 64, maximum: 1_048_576 } as const;
/** The upper bound of `memberships`, and of `max` and `max_per_user` of a role. */
export const peopleRange = { minimum: 1, maximum: 10_000 } as const;
export const defaultRoleLimits = { max: 50, maxPerUser: 100 } as const;
const maxInWindow = 1_000_000;

const fullUnitNames: Readonly<Record<string, string>> = { second: 's', minute: 'min', hour: 'h', day: 'd' };

/** Regular expressions that a rate, and one for newcomers, match as a whole. */
export const rateForm = `(\\d{1,7})/(${[...unitNames, ...Object.keys(fullUnitNames)].join('|')})`;
export const newcomerRateForm = `${rateForm} for ${durationForm}`;
const wholeRate = new RegExp(`^${rateForm}$`);

type NewcomerRate = NonNullable<CollectionLimits['newcomer']>;

/** A duration above 0. */
export function parsePeriod(text: string): number | null {
  return parseDuration(text) || null;
}

/** `30/min`: per second, minute, hour or day. */
export function parseRate(text: string): Rate | null {
  const [, number = '', unit = ''] = wholeRate.exec(text) ?? [];
  const count = Number(number);
  const windowMs = parseUnit(fullUnitNames[unit] ?? unit);
  return count > 0 && count <= maxInWindow && windowMs !== null ? { count, windowMs } : null;
}

/** `5/day for 7d`: a rate for consumers registered less than 7 days ago. */
export function parseNewcomerRate(text: string): NewcomerRate | null {
  const [rateText = '', periodText = '', ...more] = text.split(' for ');
  const rate = parseRate(rateText);
  const forMs = parsePeriod(periodText);
  return rate === null || forMs === null || more.length > 0 ? null : { ...rate, forMs };
}

/** A window is always one unit. */
export function rateText({ count, windowMs }: Rate): string {
  return `${count}/${durationText(windowMs).replace(/^1/, '')}`;
}

export function newcomerRateText(rate: NewcomerRate): string {
  return `${rateText(rate)} for ${durationText(rate.forMs)}`;
}

export function withoutNewcomerLimit<Limited extends { readonly limits: CollectionLimits }>(
  collection: Limited,
): Limited {
  return { ...collection, limits: { ...collection.limits, newcomer: null } };
}

export function limitsText({ perUser, bytes, writes, newcomer, expireMs }: CollectionLimits): string {
  const perCaller = [
    `${counted(perUser, 'record')} of at most ${bytes} bytes each`,
    `${rateText(writes)} writes`,
    ...(newcomer === null ? [] : [`for new callers ${newcomerRateText(newcomer)}`]),
  ];
  const expiry =
    expireMs === null ? '' : ` A record is deleted ${durationText(expireMs)} after its last change.`;
  return `Limits for each caller: ${perCaller.join(', ')}.${expiry}`;
}

export function limitsAsData({ perUser, bytes, writes, newcomer, expireMs }: CollectionLimits) {
  const rate = ({ count, windowMs }: Rate) => ({ count, window_seconds: windowMs / 1000 });
  return {
    per_user: perUser,
    bytes,
    writes: rate(writes),
    newcomer: newcomer === null ? null : { ...rate(newcomer), for_seconds: newcomer.forMs / 1000 },
    expire_seconds: expireMs === null ? null : expireMs / 1000,
  };
}
