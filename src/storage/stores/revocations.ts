import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Revocation, RevocationStore } from '../port.ts';
import type { Database } from '../schema.ts';
import { isFirstUse } from './assertions.ts';
import { writeAudit } from './audit.ts';

export function revocationStore(engine: Engine): RevocationStore {
  return {
    async revocations(after) {
      const rows = await engine.reader
        .selectFrom('revocations')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .execute();
      return rows.map(({ name, issued_until: issuedUntil, forget_at: forgetAt, seq }) => ({
        name,
        issuedUntil,
        forgetAt,
        seq,
      }));
    },

    revoke: (revocations, { document, audit }) =>
      engine.database.transaction().execute(async (transaction) => {
        if (document !== null) {
          const { issuer, digest, expiresAt } = document;
          // Beside the assertions of clients, whose ids have no colon.
          if (!(await isFirstUse(transaction, `provider:${issuer}`, digest, expiresAt))) return false;
        }
        if (audit !== null) await writeAudit(transaction, audit);
        if (revocations.length === 0) return true;
        // Before the notes: whoever announces waits for all who did so before, which makes the numbers those of the commits.
        await engine.announce(transaction);
        for (const revocation of revocations) await note(transaction, revocation);
        return true;
      }),

    async forgetRevocations(now, most) {
      const forgetUntil = async (time: number) => {
        const { numDeletedRows } = await engine.database
          .deleteFrom('revocations')
          .where('forget_at', '<=', time)
          .where('seq', '<', sql<number>`(select max(seq) from revocations)`)
          .executeTakeFirst();
        return Number(numDeletedRows);
      };
      await forgetUntil(now);
      const excess = await engine.reader
        .selectFrom('revocations')
        .select('forget_at')
        .orderBy('forget_at', 'desc')
        .offset(most)
        .limit(1)
        .executeTakeFirst();
      // Those that end first: what a client has revoked of its own tokens cannot push out who has signed out. Not those that end
      // with the first one too many: a provider that signs out everybody at one time must not empty the table.
      return excess === undefined ? 0 : forgetUntil(excess.forget_at - 1);
    },
  };
}

async function note(transaction: Database, revocation: Revocation): Promise<void> {
  const { name, issuedUntil, forgetAt } = revocation;
  const later = (column: 'issued_until' | 'forget_at') => {
    const [noted, now] = [sql.ref(`revocations.${column}`), sql.ref(`excluded.${column}`)];
    return sql<number>`case when ${now} > ${noted} then ${now} else ${noted} end`;
  };
  await transaction
    .insertInto('revocations')
    .values({
      name,
      issued_until: issuedUntil,
      forget_at: forgetAt,
      seq: sql<number>`(select coalesce(max(seq), 0) + 1 from revocations)`,
    })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        issued_until: later('issued_until'),
        forget_at: later('forget_at'),
        seq: sql<number>`excluded.seq`,
      }),
    )
    .execute();
}
