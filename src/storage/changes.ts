import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Read, Row } from './engine.ts';
import { type WatchedTable, watchedTables } from './port.ts';
import type { Database } from './schema.ts';

/** A suspended caller must be refused within a second. */
const readCountsEveryMs = 400;
/** Reads in flight. A silent connection does not delay the next read, which uses another one. */
const maxUnanswered = 3;
/** The pause while the database does not answer. */
const pauseAfterFailureMs = 300;

/** Call it as late in the transaction as possible: all transactions that count a change wait for each other. */
export async function countChange(transaction: Database, changed: WatchedTable): Promise<void> {
  await transaction
    .updateTable('changes')
    .set({ [changed]: sql<number>`${sql.ref(changed)} + 1` })
    .execute();
}

/** Polls the change counts. It needs no session state, so it works behind any pooler. */
export function watchChanges(
  read: Read,
  clock: Clock,
  onChange: (changed: ReadonlySet<WatchedTable>) => void,
): Promise<() => Promise<void>> {
  const readCounts = async () => (await read(selectCounts, []))[0] as Row;
  return poll({ read: readCounts, everyMs: readCountsEveryMs, clock }, (before, counts) => {
    const changed = before === undefined ? everything : changedBetween(before, counts);
    if (changed.size > 0) onChange(changed);
  });
}

const selectCounts = `select ${watchedTables.join(', ')} from changes`;
const everything: ReadonlySet<WatchedTable> = new Set(watchedTables);

/** A count that decreased belongs to an older copy of the database, in which anything may differ. */
function changedBetween(before: Row, counts: Row): ReadonlySet<WatchedTable> {
  const hasGoneBack = counts.some((count, index) => Number(count) < Number(before[index]));
  if (hasGoneBack) return everything;
  return new Set(watchedTables.filter((_, index) => before[index] !== counts[index]));
}

interface Poll<T> {
  readonly read: () => Promise<T>;
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Calls back with each value and the one before it, which is undefined after a failed read. The returned function ends it. */
export async function poll<T>(
  { read, everyMs, clock }: Poll<T>,
  onValue: (before: T | undefined, now: T) => void,
): Promise<() => Promise<void>> {
  let last: T | undefined = await read();
  let asked = 0;
  let answered = 0;
  let unanswered = 0;
  let pausedUntil = 0;
  const readNext = async () => {
    if (unanswered >= maxUnanswered || clock.monotonic() < pausedUntil) return;
    asked += 1;
    unanswered += 1;
    const number = asked;
    const value = await read().catch(() => undefined);
    unanswered -= 1;
    // Ignores an answer that arrives after that of a later read.
    if (number <= answered) return;
    const before = last;
    last = value;
    if (value === undefined) {
      pausedUntil = clock.monotonic() + pauseAfterFailureMs;
      return;
    }
    answered = number;
    onValue(before, value);
  };
  const schedule = () =>
    clock.after(everyMs, () => {
      cancel = schedule();
      void readNext();
    });
  let cancel = schedule();
  return async () => {
    answered = Number.POSITIVE_INFINITY;
    cancel();
  };
}
