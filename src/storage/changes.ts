import { sql } from 'kysely';
import type { Read } from './engine.ts';
import type { Database } from './schema.ts';

/** Often enough that nobody who is shut out gets in for a second longer. */
export const lookEveryMs = 400;
/** A look that is not answered does not keep the next from being asked, on another connection. */
const mostUnanswered = 3;

/** Within the transaction of a change, as its last statement: all who change something wait for each other from here on. */
export async function countChange(transaction: Database): Promise<void> {
  await transaction.updateTable('changes').set({ count: sql<number>`count + 1` }).execute();
}

export interface ChangeWatch {
  /** Somebody was told of a change: it is called back at once, and not a second time for the same one. */
  hurry(): void;
  end(): void;
}

/**
 * Calls back when the count has changed. It needs no notification, so it works behind any pooler, and beside a connection that
 * has fallen silent. After a look that fails the next one calls back whatever the count is: the database may be a copy that
 * was behind, and has come to the same count by other changes.
 */
export async function watchChanges(read: Read, onChange: () => void): Promise<ChangeWatch> {
  const readCount = async () => (await read('select count from changes', []))[0]?.[0];
  let last: unknown = await readCount();
  let asked = 0;
  let answered = 0;
  let unanswered = 0;
  let isOver = false;
  const look = async (isSaid: boolean) => {
    if (unanswered >= mostUnanswered && !isSaid) return;
    asked += 1;
    unanswered += 1;
    const number = asked;
    const count = await readCount().catch(() => undefined);
    unanswered -= 1;
    if (isOver) return;
    // One that was asked earlier and answered later knows less.
    const isNewest = number > answered;
    const hasChanged = isNewest && count !== undefined && count !== last;
    if (isSaid || hasChanged) onChange();
    if (!isNewest) return;
    if (count !== undefined) answered = number;
    last = count;
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
