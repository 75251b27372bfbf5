import { clockDifferenceMs } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { KeyedDigest } from '../../base/keyed-digest.ts';
import { secondsLeft } from '../../base/window-counter.ts';
import type { Collection, CollectionLimits, Rate } from '../../collections/collection.ts';
import type { ErasedBudgets, Usage } from '../../storage/port.ts';

export interface Budget {
  readonly used: number;
  readonly allowed: number;
  readonly windowMs: number;
  readonly resetsAt: number;
}

export const unused: Usage = {
  records: 0,
  writes: 0,
  writesSince: 0,
  newcomerWrites: 0,
  newcomerSince: 0,
};

interface WriterAge {
  readonly registeredAt: number;
  readonly now: number;
}

export function writeBudget({ writes }: CollectionLimits, usage: Usage, now: number): Budget {
  return budget(writes, usage.writes, usage.writesSince, now);
}

/** Null for a consumer that is no newcomer. */
export function newcomerBudget(
  { newcomer }: CollectionLimits,
  usage: Usage,
  { registeredAt, now }: WriterAge,
): Budget | null {
  if (newcomer === null || now >= registeredAt + newcomer.forMs) return null;
  return budget(newcomer, usage.newcomerWrites, usage.newcomerSince, now);
}

/** The usage after one more write. Throws if a budget or the quota is used up. */
export function charge(
  limits: CollectionLimits,
  usage: Usage,
  writer: WriterAge,
  addedRecords: number,
): Usage {
  const { now } = writer;
  const writes = writeBudget(limits, usage, now);
  if (writes.used >= writes.allowed) throw spent('write_budget_spent', writes, now);
  const newcomer = newcomerBudget(limits, usage, writer);
  if (newcomer !== null && newcomer.used >= newcomer.allowed)
    throw spent('newcomer_budget_spent', newcomer, now);
  const records = usage.records + addedRecords;
  if (addedRecords > 0 && records > limits.perUser)
    throw new Refusal('quota_exceeded', { members: { limit: limits.perUser } });
  return {
    records,
    writes: writes.used + 1,
    writesSince: writes.resetsAt - writes.windowMs,
    newcomerWrites: newcomer === null ? 0 : newcomer.used + 1,
    newcomerSince: newcomer === null ? 0 : newcomer.resetsAt - newcomer.windowMs,
  };
}

/** Windows begin at multiples of their length, the same for every caller and process. */
function budget({ count, windowMs }: Rate, used: number, since: number, now: number): Budget {
  // A clock that is set back, or is a little behind another one, does not open a window twice.
  const start = Math.max(windowAt(now, windowMs), since);
  return { used: start === since ? used : 0, allowed: count, windowMs, resetsAt: start + windowMs };
}

function windowAt(now: number, windowMs: number): number {
  return now - (now % windowMs);
}

/**
 * Moves a window that a wrong clock put far ahead to now, with its usage: otherwise the budget would stay spent until that
 * time. The next window stays, so that a clock set back and forth does not open it twice.
 */
export function asOfNow({ writes, newcomer }: CollectionLimits, usage: Usage, now: number): Usage {
  const writesSince = notAhead(usage.writesSince, writes.windowMs, now);
  const newcomerSince = notAhead(usage.newcomerSince, newcomer?.windowMs ?? 1, now);
  if (writesSince === usage.writesSince && newcomerSince === usage.newcomerSince) return usage;
  return { ...usage, writesSince, newcomerSince };
}

function notAhead(since: number, windowMs: number, now: number): number {
  const isAhead = since > now + Math.max(windowMs, clockDifferenceMs);
  return isAhead ? windowAt(now, windowMs) : since;
}

function spent(code: 'write_budget_spent' | 'newcomer_budget_spent', budget: Budget, now: number): Refusal {
  const retryAfterSeconds = Math.max(secondsLeft(budget, now), 1);
  return new Refusal(code, { retryAfterSeconds, facts: { budget } });
}

/**
 * The name for the spent budgets of an erased caller: a keyed digest that leads to no pseudonym without the master secret.
 */
export function formerName(digest: KeyedDigest, id: string): Uint8Array {
  return digest.of('erased', id);
}

/** Erasure does not reset a budget: it stays until its window ends. */
export function budgetsOfErased(
  collections: readonly Collection[],
  former: Uint8Array,
  now: number,
): ErasedBudgets {
  const limitsOf = new Map(collections.map(({ name, limits }) => [name, limits]));
  return {
    former,
    endOf(collection, usage) {
      const limits = limitsOf.get(collection);
      return limits === undefined ? null : spentUntil(limits, usage, now);
    },
  };
}

/** The end of the last window with writes; null without any. */
function spentUntil({ writes, newcomer }: CollectionLimits, usage: Usage, now: number): number | null {
  const budgets = [
    budget(writes, usage.writes, usage.writesSince, now),
    ...(newcomer === null ? [] : [budget(newcomer, usage.newcomerWrites, usage.newcomerSince, now)]),
  ];
  const ends = budgets.filter(({ used }) => used > 0).map(({ resetsAt }) => resetsAt);
  return ends.length === 0 ? null : Math.max(...ends);
}
