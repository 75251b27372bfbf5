import { isDeepStrictEqual } from 'node:util';
import { durationText } from '../base/duration.ts';
import { isJsonObject } from '../base/json-object.ts';
import { brief } from '../base/yaml/mistakes.ts';
import type { Declaration } from './declaration.ts';
import { newcomerRateText, rateText } from './limits.ts';

/** Left out of the path of a change: `schema properties seats maximum` is `seats maximum`. */
const structure = ['schema', 'properties', 'limits', 'state machine'];

/** What differs between two declarations of a collection, a phrase each: `seats maximum 8 -> 4`. */
export function describeChanges(before: Declaration, after: Declaration): readonly string[] {
  return changesIn(readable(before), readable(after), []);
}

/** Rates and durations as they are declared. */
function readable({ index, limits, machine, ...rest }: Declaration): object {
  const { writes, newcomer, expireMs, ...sizes } = limits;
  return {
    ...rest,
    'state machine': machine,
    index: index.map(({ name, kind }) => `${name} (${kind})`),
    limits: {
      ...sizes,
      writes: rateText(writes),
      newcomer: newcomer && newcomerRateText(newcomer),
      expire: expireMs && durationText(expireMs),
    },
  };
}

function changesIn(before: unknown, after: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const name = path.filter((part) => !structure.includes(part)).join(' ') || path.join(' ');
  if (isJsonObject(before) && isJsonObject(after)) {
    const members = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...members].flatMap((member) => changesIn(before[member], after[member], [...path, member]));
  }
  if (isJsonObject(before ?? after)) return [`${name} ${isJsonObject(after) ? 'added' : 'removed'}`];
  if (Array.isArray(before) && Array.isArray(after)) {
    const removed = before
      .filter((item) => !after.includes(item))
      .map((item) => `${name} ${shown(item)} removed`);
    const added = after
      .filter((item) => !before.includes(item))
      .map((item) => `${name} ${shown(item)} added`);
    if (removed.length + added.length > 0) return [...removed, ...added];
  }
  return [`${name} ${shown(before)} -> ${shown(after)}`];
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return brief(typeof value === 'string' ? value : JSON.stringify(value));
}
