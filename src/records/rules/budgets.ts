import { clockDifferenceMs } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { CollectionLimits, Rate } from '../../collections/collection.ts';
import type { Usage } from '../../storage/port.ts';

/** A budget as it stands: so many of so many, until then. */
export interface Budget {
  readonly used: number;
  readonly allowed: number;
  readonly windowMs: number;
  readonly resetsAt: number;
}

/** Of a consumer that has written nothing. */
export const unused: Usage = {
  records: 0,
  writes: 0,
  writesSince: 0,
  newcomerWrites: 0,
  newcomerSince: 0,
};

interface Writer {
  readonly registeredAt: number;
  readonly now: number;
}

export function writeBudget({ writes }: CollectionLimits, usage: Usage, now: number): Budget {
  return budget(writes, usage.writes, usage.writesSince, now);
}

/** Null for a consumer that has been here long enough. */
export function newcomerBudget(
  { newcomer }: CollectionLimits,
  usage: Usage,
  { registeredAt, now }: Writer,
): Budget | null {
  if (newcomer === null || now >= registeredAt + newcomer.forMs) return null;
  return budget(newcomer, usage.newcomerWrites, usage.newcomerSince, now);
}

/** When the last window ends in which something was spent; null when none runs. */
export function spentUntil({ writes, newcomer }: CollectionLimits, usage: Usage, now: number): number | null {
  const budgets = [
    budget(writes, usage.writes, usage.writesSince, now),
    ...(newcomer === null ? [] : [budget(newcomer, usage.newcomerWrites, usage.newcomerSince, now)]),
  ];
  const ends = budgets.filter(({ used }) => used > 0).map(({ resetsAt }) => resetsAt);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** The usage after one more write, which adds so many records. Throws when there is no room for it. */
export function charge(limits: CollectionLimits, usage: Usage, writer: Writer, addedRecords: number): Usage {
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

/** Windows begin at whole multiples of their length, the same for everybody and in every process. */
function budget({ count, windowMs }: Rate, used: number, since: number, now: number): Budget {
  // A clock that was set back, or is a little behind another one, opens no window a second time.
  const start = Math.max(windowAt(now, windowMs), since);
  return { used: start === since ? used : 0, allowed: count, windowMs, resetsAt: start + windowMs };
}

function windowAt(now: number, windowMs: number): number {
  return now - (now % windowMs);
}

/**
 * The same usage, unless a clock that was wrong has counted it in a window to come: what was used there is used up in the
 * window of now instead, or there would be nothing left until that time. The next window stays as it is, or a clock that
 * is set back and forth would open it twice.
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

/** Never more than one window. */
export function secondsLeft({ windowMs, resetsAt }: Budget, now: number): number {
  return Math.max(Math.ceil(Math.min(resetsAt - now, windowMs) / 1000), 0);
}

function spent(code: 'write_budget_spent' | 'newcomer_budget_spent', budget: Budget, now: number): Refusal {
  const retryAfterSeconds = Math.max(secondsLeft(budget, now), 1);
  return new Refusal(code, { retryAfterSeconds, facts: { budget } });
}
