import { Buffer } from 'node:buffer';
import { DatabaseError } from 'pg';
import { ThrownByRules } from '../guard.ts';
import type { BatchChanges, BatchKeys, BatchRules, BatchStore, Loaded, Outcome } from '../port.ts';
import { toConsumer, toIdempotencyKey, toRecord, toSpentBudget, toUsageOf } from '../rows.ts';
import type { Tables } from '../schema.ts';
import type { Transaction } from './transaction.ts';

type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** Somebody else was faster: a row is there that was not, or the database saw that two wait for each other. */
const conflicts = new Set(['23505', '40001', '40P01']);
const mostAttempts = 10;

/**
 * Runs batches in two round trips: what is to be loaded; what is to be applied, with the commit. One more when somebody is new. Rows are locked in one
 * order in all processes (callers, then records, then counts, each by name), so that batches wait for each other
 * instead of standing in each other's way; where two meet at a row that neither has seen, one is done again.
 */
export function postgresBatches(inTransaction: InTransaction, rules: BatchRules): BatchStore {
  const tryOnce = (operations: readonly unknown[]): Promise<readonly Outcome[]> =>
    inTransaction(async (transaction) => {
      const keys = byRules(() => rules.keysOf(operations));
      const loaded = await load(transaction, keys);
      const { changes, outcomes } = byRules(() => rules.decide(operations, loaded));
      apply(transaction, changes);
      return outcomes;
    });
  return {
    async run(operations) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await tryOnce(operations);
        } catch (error) {
          if (attempt === mostAttempts || !isConflict(error)) throw error;
        }
      }
    },
  };
}

/** A mistake in the rules is no fault of the database, even if it looks like one of its driver's. */
function byRules<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ThrownByRules('', { cause: error });
  }
}

function isConflict(error: unknown): boolean {
  const cause = error instanceof DatabaseError ? error : (error as Error | null)?.cause;
  return cause instanceof DatabaseError && conflicts.has(cause.code ?? '');
}

/** All statements are on their way before the first is answered. */
async function load(transaction: Transaction, keys: BatchKeys): Promise<Loaded> {
  const rows = async <Row>(asked: Promise<{ readonly rows: readonly unknown[] }> | null) =>
    asked === null ? [] : ((await asked).rows as Row[]);
  const { newcomers } = keys;
  const consumers = rows<Tables['consumers']>(
    transaction.run('select * from consumers where id = any($1) order by id for update', [
      keys.consumers.map(({ id }) => id),
    ]),
  );
  const named = rows<Tables['records']>(
    keys.records.length === 0
      ? null
      : transaction.run(
          `select records.* from records join unnest($1::text[], $2::text[]) as wanted (collection, id)
             on records.collection = wanted.collection and records.id = wanted.id
           order by records.collection, records.id for update of records`,
          [keys.records.map(({ collection }) => collection), keys.records.map(({ id }) => id)],
        ),
  );
  const usage = rows<Tables['usage']>(
    keys.usage.length === 0
      ? null
      : transaction.run(
          `select usage.* from usage join unnest($1::text[], $2::text[]) as wanted (owner, collection)
             on usage.owner = wanted.owner and usage.collection = wanted.collection`,
          [keys.usage.map(({ owner }) => owner), keys.usage.map(({ collection }) => collection)],
        ),
  );
  const used = [
    keys.idempotencyKeys.map(({ owner }) => owner),
    keys.idempotencyKeys.map(({ collection }) => collection),
    keys.idempotencyKeys.map(({ keyDigest }) => Buffer.from(keyDigest)),
  ];
  const wantedKeys = `idempotency_keys join unnest($1::text[], $2::text[], $3::bytea[]) as wanted (owner, collection, digest)
    on idempotency_keys.owner = wanted.owner and idempotency_keys.collection = wanted.collection
      and idempotency_keys.key_digest = wanted.digest`;
  const idempotencyKeys = rows<Tables['idempotency_keys']>(
    keys.idempotencyKeys.length === 0
      ? null
      : transaction.run(`select idempotency_keys.* from ${wantedKeys}`, used),
  );
  const replayed = rows<Tables['records']>(
    keys.idempotencyKeys.length === 0
      ? null
      : transaction.run(
          `select records.* from ${wantedKeys}
           join records on records.collection = wanted.collection and records.id = idempotency_keys.record_id`,
          used,
        ),
  );
  const counted = rows<{ count: number }>(
    newcomers === null
      ? null
      : transaction.run(
          // The kind is written out, so that the partial index is used.
          `select count(*) as count from
             (select from consumers where kind = 'user' and registered_at >= $1 limit $2) as newcomers`,
          [newcomers.since, newcomers.atMost],
        ),
  );
  // At once: when the first fails, so do the others, and a failure that nobody awaits would end the process.
  await Promise.all([consumers, named, usage, idempotencyKeys, replayed, counted]);
  const known = new Set((await consumers).map(({ id }) => id));
  return {
    consumers: (await consumers).map(toConsumer),
    spentBudgets: await loadSpentBudgets(
      transaction,
      keys.consumers.filter(({ id }) => !known.has(id)),
    ),
    usage: (await usage).map(toUsageOf),
    records: [...(await named), ...(await replayed)].map(toRecord),
    idempotencyKeys: (await idempotencyKeys).map(toIdempotencyKey),
    newcomers: (await counted)[0]?.count ?? 0,
  };
}

/** What those who are not registered had spent when they were erased. Mostly there is nobody new, and nothing to ask. */
async function loadSpentBudgets(
  transaction: Transaction,
  strangers: BatchKeys['consumers'],
): Promise<Loaded['spentBudgets']> {
  if (strangers.length === 0) return [];
  const { rows } = await transaction.run(
    `select spent_budgets.*, wanted.id from spent_budgets join unnest($1::text[], $2::bytea[]) as wanted (id, former)
       on spent_budgets.former = wanted.former`,
    [strangers.map(({ id }) => id), strangers.map(({ former }) => Buffer.from(former()))],
  );
  return (rows as (Tables['spent_budgets'] & { id: string })[]).map((row) => toSpentBudget(row, row.id));
}

/** None of them needs to be waited for: the commit is, and fails with the first that failed. */
function apply(transaction: Transaction, changes: BatchChanges): void {
  const run = <Row>(rows: readonly Row[], sql: string, columns: readonly ((row: Row) => unknown)[]) => {
    if (rows.length > 0)
      void transaction.run(
        sql,
        columns.map((column) => rows.map(column)),
      );
  };
  run(
    changes.newConsumers.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    `insert into consumers (id, kind, state, registered_at)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
    [({ id }) => id, ({ kind }) => kind, ({ state }) => state, ({ registeredAt }) => registeredAt],
  );
  run(changes.takenUpBudgets, 'delete from spent_budgets where former = any($1)', [
    (former) => Buffer.from(former),
  ]);
  run(
    changes.removedRecords,
    `delete from records using unnest($1::text[], $2::text[]) as gone (collection, id)
     where records.collection = gone.collection and records.id = gone.id`,
    [({ collection }) => collection, ({ id }) => id],
  );
  run(
    changes.newRecords.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    `insert into records (collection, id, owner, state, revision, created_at, updated_at, body, bytes)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
       $8::text[], $9::bigint[])`,
    recordColumns,
  );
  run(
    changes.changedRecords,
    `update records set owner = now.owner, state = now.state, revision = now.revision, created_at = now.created_at,
       updated_at = now.updated_at, body = now.body, bytes = now.bytes
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
       $9::bigint[]) as now (collection, id, owner, state, revision, created_at, updated_at, body, bytes)
     where records.collection = now.collection and records.id = now.id`,
    recordColumns,
  );
  applyUsage(transaction, changes, run);
  run(
    changes.idempotencyKeys,
    `insert into idempotency_keys (owner, collection, key_digest, request_digest, record_id, expires_at)
     select * from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::bigint[])
     on conflict (owner, collection, key_digest) do update
     set request_digest = excluded.request_digest, record_id = excluded.record_id, expires_at = excluded.expires_at`,
    [
      ({ owner }) => owner,
      ({ collection }) => collection,
      ({ keyDigest }) => Buffer.from(keyDigest),
      ({ requestDigest }) => Buffer.from(requestDigest),
      ({ recordId }) => recordId,
      ({ expiresAt }) => expiresAt,
    ],
  );
}

const recordColumns: readonly ((record: BatchChanges['newRecords'][number]) => unknown)[] = [
  ({ collection }) => collection,
  ({ id }) => id,
  ({ owner }) => owner,
  ({ state }) => state,
  ({ revision }) => revision,
  ({ createdAt }) => createdAt,
  ({ updatedAt }) => updatedAt,
  ({ body }) => body,
  ({ body }) => Buffer.byteLength(body),
];

type Run = <Row>(rows: readonly Row[], sql: string, columns: readonly ((row: Row) => unknown)[]) => void;

/** The counts of several owners are locked first, by name. */
function applyUsage(
  transaction: Transaction,
  { newUsage, changedUsage, movedUsage }: BatchChanges,
  run: Run,
): void {
  const touched = [...changedUsage, ...movedUsage];
  if (touched.length > 1) {
    void transaction.run(
      `select 1 from usage join unnest($1::text[], $2::text[]) as wanted (owner, collection)
         on usage.owner = wanted.owner and usage.collection = wanted.collection
       order by usage.owner, usage.collection for update of usage`,
      [touched.map(({ owner }) => owner), touched.map(({ collection }) => collection)],
    );
  }
  run(
    newUsage,
    `insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])`,
    [
      ({ owner }) => owner,
      ({ collection }) => collection,
      ({ records }) => Math.max(records, 0),
      ({ writes }) => writes,
      ({ writesSince }) => writesSince,
      ({ newcomerWrites }) => newcomerWrites,
      ({ newcomerSince }) => newcomerSince,
    ],
  );
  run(
    changedUsage,
    `update usage set records = greatest(records + now.moved, 0), writes = now.writes, writes_since = now.writes_since,
       newcomer_writes = now.newcomer_writes, newcomer_since = now.newcomer_since
     from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       as now (owner, collection, moved, writes, writes_since, newcomer_writes, newcomer_since)
     where usage.owner = now.owner and usage.collection = now.collection`,
    [
      ({ owner }) => owner,
      ({ collection }) => collection,
      ({ moved }) => moved,
      ({ writes }) => writes,
      ({ writesSince }) => writesSince,
      ({ newcomerWrites }) => newcomerWrites,
      ({ newcomerSince }) => newcomerSince,
    ],
  );
  run(
    movedUsage,
    `update usage set records = greatest(records + now.moved, 0)
     from unnest($1::text[], $2::text[], $3::bigint[]) as now (owner, collection, moved)
     where usage.owner = now.owner and usage.collection = now.collection`,
    [({ owner }) => owner, ({ collection }) => collection, ({ moved }) => moved],
  );
}
