import type { Engine } from '../engine.ts';
import type { SigningKeyStore } from '../port.ts';

export function signingKeyStore(engine: Engine): SigningKeyStore {
  const { database } = engine;
  return {
    async list() {
      const rows = await database
        .selectFrom('signing_keys')
        .selectAll()
        .orderBy('created_at')
        .orderBy('kid')
        .execute();
      return rows.map((row) => ({
        kid: row.kid,
        algorithm: row.algorithm,
        publicJwk: row.public_jwk,
        sealedPrivateKey: new Uint8Array(row.sealed_private_key),
        createdAt: row.created_at,
      }));
    },

    addFirst: (key) =>
      database.transaction().execute(async (transaction) => {
        await engine.lock(transaction, 'signing_keys');
        const existing = await transaction
          .selectFrom('signing_keys')
          .select('kid')
          .limit(1)
          .executeTakeFirst();
        if (existing !== undefined) return;
        await transaction
          .insertInto('signing_keys')
          .values({
            kid: key.kid,
            algorithm: key.algorithm,
            public_jwk: key.publicJwk,
            sealed_private_key: key.sealedPrivateKey,
            created_at: key.createdAt,
          })
          .execute();
      }),
  };
}
