import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { SigningKeyStore } from '../port.ts';
import { type Database, rowFor, rowsOf } from '../schema.ts';
import { audited, writeAudit } from './audit.ts';

export function signingKeyStore(engine: Engine): SigningKeyStore {
  return {
    list: () => inOrder(engine.reader).execute(),

    addNext: (key, after, audit) =>
      audited(engine, 'signing_keys', audit, async (transaction) => {
        await engine.lock(transaction, 'signing_keys');
        const newest = (await inOrder(transaction).execute()).at(-1);
        if ((newest?.kid ?? null) !== (after?.kid ?? null)) return false;
        await transaction.insertInto('signing_keys').values(rowFor('signing_keys', key)).execute();
        if (after !== null) await retire(transaction, after);
        return true;
      }),

    bringForward: (key, before, audit) =>
      audited(engine, 'signing_keys', audit, async (transaction) => {
        await engine.lock(transaction, 'signing_keys');
        const newest = (await inOrder(transaction).execute()).at(-1);
        if (newest?.kid !== key.kid || newest.signsFrom <= key.signsFrom) return false;
        await transaction
          .updateTable('signing_keys')
          .set({ signs_from: key.signsFrom })
          .where('kid', '=', key.kid)
          .execute();
        await retire(transaction, before);
        return true;
      }),

    deleteRetired: (now, audit) =>
      engine.database.transaction().execute(async (transaction) => {
        const retired = await transaction
          .deleteFrom('signing_keys')
          .where('retires_at', '<=', now)
          .returning('kid')
          .execute();
        for (const { kid } of retired) await writeAudit(transaction, audit(kid));
        if (retired.length > 0) await engine.announce(transaction, 'signing_keys');
        return retired.map(({ kid }) => kid);
      }),
  };
}

/** Every key but the newest has an end. A clock that was behind may have dated the newest before the others. */
function inOrder(database: Database) {
  return rowsOf(database, 'signing_keys')
    .orderBy(sql`retires_at is null`)
    .orderBy('signs_from')
    .orderBy('created_at')
    .orderBy('kid');
}

async function retire(
  transaction: Database,
  { kid, retiresAt }: { readonly kid: string; readonly retiresAt: number },
): Promise<void> {
  await transaction
    .updateTable('signing_keys')
    .set({ retires_at: retiresAt })
    .where('kid', '=', kid)
    .execute();
}
