import type { Engine } from '../engine.ts';
import type { AuditEntry, AuditStore, WatchedTable } from '../port.ts';
import { type Database, rowsOf } from '../schema.ts';

/** Appends an entry in the transaction of the change: both are stored or neither is. */
export async function writeAudit(transaction: Database, entry: AuditEntry): Promise<void> {
  const { at, actor, node, action, subject, details } = entry;
  await transaction
    .insertInto('audit')
    .values({ at, actor, node, action, subject, details: JSON.stringify(details) })
    .execute();
}

/** One transaction: the change, its audit entry and the announcement. Nothing changes if `work` returns false. */
export function audited(
  engine: Engine,
  table: WatchedTable,
  audit: AuditEntry,
  work: (transaction: Database) => Promise<boolean>,
): Promise<boolean> {
  return engine.database.transaction().execute(async (transaction) => {
    if (!(await work(transaction))) return false;
    await writeAudit(transaction, audit);
    await engine.announce(transaction, table);
    return true;
  });
}

export function auditStore({ database }: Engine): AuditStore {
  return {
    async list(sinceMs) {
      const rows = await rowsOf(database, 'audit').where('at', '>=', sinceMs).orderBy('seq').execute();
      return rows.map(({ seq: _seq, details, ...row }) => ({ ...row, details: JSON.parse(details) }));
    },
  };
}
