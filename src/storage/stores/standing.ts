import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Revocation, StandingStore } from '../port.ts';
import { type Database, rowsOf } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { isFirstUse } from './used-once.ts';

export function standingStore(engine: Engine): StandingStore {
  return {
    async suspendedConsumers() {
      const suspended = await engine.reader
        .selectFrom('consumers')
        .select('id')
        // A literal, not a parameter, so that the partial index is used.
        .where('state', '=', sql.lit('suspended'))
        .execute();
      return suspended.map(({ id }) => id);
    },

    watch: (onChange) => engine.watch(onChange),

    revocations: (after) =>
      rowsOf(engine.reader, 'revocations').where('seq', '>', after).orderBy('seq').execute(),

    revoke: (revocations, { document, audit }) =>
      engine.database.transaction().execute(async (transaction) => {
        if (document !== null) {
          const { issuer, digest, expiresAt } = document;
          // Shares the table with assertions of clients, whose ids have no colon.
          if (!(await isFirstUse(transaction, `provider:${issuer}`, digest, expiresAt))) return null;
        }
        if (audit !== null) await writeAudit(transaction, audit);
        const news = await notNoted(transaction, revocations);
        if (news.length === 0) return 0;
        // Before the inserts: announcing serialises transactions, so `seq` follows the order of commits.
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
            // Skips locked rows: waiting for them could deadlock.
            .$if(engine.name === 'postgres', (select) => select.forUpdate().skipLocked()),
        )
        .deleteFrom('revocations')
        .where('name', 'in', (database) => database.selectFrom('over').select('name'))
        .execute();
    },
  };
}

/** Revocations that change something. Repeating one must not make all processes read again. */
async function notNoted(
  transaction: Database,
  revocations: readonly Revocation[],
): Promise<readonly Revocation[]> {
  if (revocations.length === 0) return [];
  const rows = await rowsOf(transaction, 'revocations')
    .where(
      'name',
      'in',
      revocations.map(({ name }) => name),
    )
    .execute();
  const noted = new Map(rows.map((row) => [row.name, row]));
  return revocations.filter(({ name, issuedUntil, forgetAt }) => {
    const known = noted.get(name);
    return known === undefined || known.issuedUntil < issuedUntil || known.forgetAt < forgetAt;
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
      moved_from: null,
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
