import { Refusal } from '../../base/errors.ts';
import type { Usage } from '../../storage/port.ts';
import type { CollectionLimits, Rate } from '../collections/collection.ts';

/** A budget as it stands: so many of so many, until then. */
export interface Budget {
  readonly used: number;
  readonly allowed: number;
  readonly windowMs: number;
  readonly resetsAt: number;
}

interface Writer {
  readonly registeredAt: number;
  readonly now: number;
}

export function writeBudget({ writes }: CollectionLimits, usage: Usage, now: number): Budget {
  return budget(writes, usage.writes, usage.writesSince, now);
}

/** Null for whoever has been here long enough. */
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
  // A clock that was set back opens no window a second time.
  const start = Math.max(now - (now % windowMs), since);
  return { used: start === since ? used : 0, allowed: count, windowMs, resetsAt: start + windowMs };
}

function spent(code: 'write_budget_spent' | 'newcomer_budget_spent', budget: Budget, now: number): Refusal {
  const retryAfterSeconds = Math.max(Math.ceil((budget.resetsAt - now) / 1000), 1);
  return new Refusal(code, { retryAfterSeconds, headers: rateHeaders('writes', budget, now) });
}

/** As the draft "RateLimit header fields for HTTP" has them. */
export function rateHeaders(
  policy: 'reads' | 'writes',
  { used, allowed, windowMs, resetsAt }: Budget,
  now: number,
) {
  const left = Math.max(allowed - used, 0);
  const seconds = Math.max(Math.ceil((resetsAt - now) / 1000), 0);
  return {
    'ratelimit-policy': `"${policy}";q=${allowed};w=${windowMs / 1000}`,
    ratelimit: `"${policy}";r=${left};t=${seconds}`,
  };
}
