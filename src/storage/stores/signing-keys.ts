import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { SigningKeyStore } from '../port.ts';
import type { Database } from '../schema.ts';
import { audited, writeAudit } from './audit.ts';

export function signingKeyStore(engine: Engine): SigningKeyStore {
  return {
    async list() {
      const rows = await inOrder(engine.reader).selectAll().execute();
      return rows.map((row) => ({
        kid: row.kid,
        algorithm: row.algorithm,
        publicJwk: row.public_jwk,
        sealedPrivateKey: new Uint8Array(row.sealed_private_key),
        createdAt: row.created_at,
        signsFrom: row.signs_from,
        retiresAt: row.retires_at,
      }));
    },

    addNext: (key, after, audit) =>
      audited(engine, 'signing_keys', audit, async (transaction) => {
        await engine.lock(transaction, 'signing_keys');
        const newest = (await inOrder(transaction).select('kid').execute()).at(-1);
        if ((newest?.kid ?? null) !== (after?.kid ?? null)) return false;
        await transaction
          .insertInto('signing_keys')
          .values({
            kid: key.kid,
            algorithm: key.algorithm,
            public_jwk: key.publicJwk,
            sealed_private_key: key.sealedPrivateKey,
            created_at: key.createdAt,
            signs_from: key.signsFrom,
            retires_at: key.retiresAt,
          })
          .execute();
        if (after !== null) await retire(transaction, after);
        return true;
      }),

    bringForward: (key, before, audit) =>
      audited(engine, 'signing_keys', audit, async (transaction) => {
        await engine.lock(transaction, 'signing_keys');
        const newest = (await inOrder(transaction).select(['kid', 'signs_from']).execute()).at(-1);
        if (newest?.kid !== key.kid || newest.signs_from <= key.signsFrom) return false;
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
  return database
    .selectFrom('signing_keys')
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
