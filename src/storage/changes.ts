import { sql } from 'kysely';
import type { Read, Row } from './engine.ts';
import { type WatchedTable, watchedTables } from './port.ts';
import type { Database } from './schema.ts';

/** Often enough that nobody who is shut out gets in for a second longer. */
export const lookEveryMs = 400;
/** A look that is not answered does not keep the next from being asked, on another connection. */
const mostUnanswered = 3;

/** Within the transaction of a change, as late as can be: all who change something wait for each other from here on. */
export async function countChange(transaction: Database, changed: WatchedTable): Promise<void> {
  await transaction
    .updateTable('changes')
    .set({ [changed]: sql<number>`${sql.ref(changed)} + 1` })
    .execute();
}

/** What there is to say when nobody knows what has changed. */
export const everything: ReadonlySet<WatchedTable> = new Set(watchedTables);

export interface ChangeWatch {
  /** Somebody was told of a change, and looks at once. */
  hurry(): void;
  end(): void;
}

/**
 * Calls back when a count has changed. It needs no notification, so it works behind any pooler, and beside a connection that
 * has fallen silent. After a look that fails the next one calls back whatever the counts are: the database may be a copy that
 * was behind, and has come to the same counts by other changes.
 */
export async function watchChanges(
  read: Read,
  onChange: (changed: ReadonlySet<WatchedTable>) => void,
): Promise<ChangeWatch> {
  const readCounts = async () => (await read(selectCounts, []))[0];
  let last: Row | undefined = await readCounts();
  let asked = 0;
  let answered = 0;
  let unanswered = 0;
  let isOver = false;
  const look = async (isSaid: boolean) => {
    if (unanswered >= mostUnanswered && !isSaid) return;
    asked += 1;
    unanswered += 1;
    const number = asked;
    const counts = await readCounts().catch(() => undefined);
    unanswered -= 1;
    // One that was asked earlier and answered later knows less.
    if (isOver || number <= answered) return;
    const before = last;
    last = counts;
    if (counts === undefined) return;
    answered = number;
    const changed = before === undefined ? everything : changedBetween(before, counts);
    if (changed.size > 0) onChange(changed);
  };
  const timer = setInterval(() => void look(false), lookEveryMs).unref();
  return {
    hurry: () => void look(true),
    end() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

const selectCounts = `select ${watchedTables.join(', ')} from changes`;

/** A count that has gone back belongs to an older copy of the database, in which anything may differ. */
function changedBetween(before: Row, counts: Row): ReadonlySet<WatchedTable> {
  const hasGoneBack = counts.some((count, index) => Number(count) < Number(before[index]));
  if (hasGoneBack) return everything;
  return new Set(watchedTables.filter((_, index) => before[index] !== counts[index]));
}
