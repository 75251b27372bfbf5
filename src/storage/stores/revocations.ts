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
      return rows.map((row) => ({
        name: row.name,
        issuedUntil: row.issued_until,
        forgetAt: row.forget_at,
        issuer: row.issuer,
        seq: row.seq,
        movedFrom: row.moved_from,
      }));
    },

    revoke: (revocations, { document, audit }) =>
      engine.database.transaction().execute(async (transaction) => {
        if (document !== null) {
          const { issuer, digest, expiresAt } = document;
          // Beside the assertions of clients, whose ids have no colon.
          if (!(await isFirstUse(transaction, `provider:${issuer}`, digest, expiresAt))) return null;
        }
        if (audit !== null) await writeAudit(transaction, audit);
        const news = await notNoted(transaction, revocations);
        if (news.length === 0) return 0;
        // Before the notes: whoever announces waits for all who did so before, which makes the numbers those of the commits.
        await engine.announce(transaction, 'revocations');
        for (const revocation of news) await note(transaction, revocation);
        return news.length;
      }),

    async forgetRevocations(now) {
      await engine.database
        .with('over', (database) =>
          database
            .selectFrom('revocations')
            .select('name')
            .where('forget_at', '<=', now)
            .where('seq', '<', sql<number>`(select max(seq) from revocations)`)
            // Whoever is noting some of them again may wait for others: to wait in turn would be without end.
            .$if(engine.name === 'postgres', (select) => select.forUpdate().skipLocked()),
        )
        .deleteFrom('revocations')
        .where('name', 'in', (database) => database.selectFrom('over').select('name'))
        .execute();
    },
  };
}

/**
 * Those that say more than what is noted already. All processes read anew what is announced, and nobody may have them do so
 * by saying the same thing over and over.
 */
async function notNoted(
  transaction: Database,
  revocations: readonly Revocation[],
): Promise<readonly Revocation[]> {
  if (revocations.length === 0) return [];
  const rows = await transaction
    .selectFrom('revocations')
    .select(['name', 'issued_until', 'forget_at'])
    .where(
      'name',
      'in',
      revocations.map(({ name }) => name),
    )
    .execute();
  const noted = new Map(rows.map((row) => [row.name, row]));
  return revocations.filter(({ name, issuedUntil, forgetAt }) => {
    const known = noted.get(name);
    return known === undefined || known.issued_until < issuedUntil || known.forget_at < forgetAt;
  });
}

async function note(transaction: Database, revocation: Revocation): Promise<void> {
  const { name, issuedUntil, forgetAt, issuer } = revocation;
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
      issuer,
      seq: sql<number>`(select coalesce(max(seq), 0) + 1 from revocations)`,
    })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        issued_until: later('issued_until'),
        forget_at: later('forget_at'),
        seq: sql<number>`excluded.seq`,
        moved_from: sql<number>`revocations.seq`,
      }),
    )
    .execute();
}
