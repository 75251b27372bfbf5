import { pointerTo } from '../../base/yaml/json-pointer.ts';
import { found, readMapping, type Say } from '../../base/yaml/mistakes.ts';
import type { Collection, CollectionLimits } from './collection.ts';
import { parseNewcomerRate, parsePeriod, parseRate } from './rates.ts';

/** What a collection has when its declaration says nothing. */
export const defaultLimits: CollectionLimits = {
  perUser: 1000,
  bytes: 16_384,
  writes: { count: 60, windowMs: 60_000 },
  newcomer: null,
  expireMs: null,
};

export const perUserRange = { least: 1, most: 1_000_000 } as const;
export const bytesRange = { least: 64, most: 1_048_576 } as const;

const known = ['per_user', 'bytes', 'writes', 'newcomer', 'expire'] as const;

/** The member `limits` of a declaration. */
export function readLimits(value: unknown, say: Say): CollectionLimits {
  if (value === undefined) return defaultLimits;
  const members = readMapping(value, '/limits', known, say) ?? {};
  const read = <T>(
    name: (typeof known)[number],
    standard: T,
    parse: (text: string) => T | null,
    form: string,
  ): T => {
    const given = members[name];
    if (given === undefined) return standard;
    const parsed = typeof given === 'string' ? parse(given) : null;
    if (parsed === null) say(pointerTo('/limits', name), `must be ${form}; ${found(given)}`);
    return parsed ?? standard;
  };
  const readCount = (
    name: (typeof known)[number],
    standard: number,
    { least, most }: typeof perUserRange | typeof bytesRange,
  ) => {
    const given = members[name] ?? standard;
    if (typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most) return given;
    say(pointerTo('/limits', name), `must be a whole number from ${least} to ${most}; ${found(given)}`);
    return standard;
  };
  return {
    perUser: readCount('per_user', defaultLimits.perUser, perUserRange),
    bytes: readCount('bytes', defaultLimits.bytes, bytesRange),
    writes: read('writes', defaultLimits.writes, parseRate, 'a rate such as 30/min (s, min, h or d)'),
    newcomer: read('newcomer', null, parseNewcomerRate, 'a rate for a time, such as 5/day for 7d'),
    expireMs: read('expire', null, parsePeriod, 'a duration such as 90d (s, min, h or d, at most 3650d)'),
  };
}

/** The same collection where newcomers may write as much as everybody. */
export function withoutNewcomerLimit(collection: Collection): Collection {
  return { ...collection, limits: { ...collection.limits, newcomer: null } };
}
