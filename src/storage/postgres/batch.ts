import { Buffer } from 'node:buffer';
import { DatabaseError } from 'pg';
import { mergeLoaded, noKeys } from '../family.ts';
import { ThrownByRules } from '../guard.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  BatchStore,
  Loaded,
  OwnerInCollection,
  RecordName,
} from '../port.ts';
import {
  toConsumer,
  toIdempotencyKey,
  toInvitation,
  toMember,
  toRecord,
  toSpentBudget,
  toUsageOf,
} from '../rows.ts';
import type { Tables } from '../schema.ts';
import { appendLock } from '../stores/events.ts';
import {
  type Ask,
  applyFamily,
  applyHistory,
  columnsOfRecords,
  loadFamily,
  lockWithAbove,
} from './family.ts';
import type { Transaction } from './transaction.ts';
import { lockName, takeLock } from './transaction.ts';
import { isUnknownStatement, onlyReads } from './unavailable.ts';

type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** Unique violation, foreign key violation (a member was erased meanwhile), serialization failure, deadlock. */
const conflicts = new Set(['23505', '23503', '40001', '40P01']);
const mostAttempts = 10;
const mostStale = 4;

/** Loads and applies a batch in two round trips, three for a new caller or a code. All processes lock rows in one order; conflicts retry. */
export function postgresBatches(inTransaction: InTransaction, rules: BatchRules): BatchStore {
  const tryOnce = (operations: readonly unknown[]) =>
    inTransaction(async (transaction) => {
      const keys = byRules(() => rules.keysOf(operations));
      const loaded = await loadAll(transaction, rules, operations, keys);
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
          // A session that has only read since a failover, or has lost its prepared statements. A few more may be left.
          const isStale = attempt < mostStale && (onlyReads(error) || isUnknownStatement(error));
          if (attempt === mostAttempts || !(isStale || isConflict(error))) throw error;
        }
      }
    },
  };
}

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

/** The parents of a record are known only once the record is loaded; then they are loaded, too. */
async function loadAll(
  transaction: Transaction,
  rules: BatchRules,
  operations: readonly unknown[],
  keys: BatchKeys,
): Promise<Loaded> {
  let loaded = await load(transaction, keys);
  for (let round = 1; ; round += 1) {
    const so = loaded;
    const further = byRules(() => rules.furtherKeys?.(operations, so, round) ?? null);
    if (further === null) return loaded;
    loaded = mergeLoaded(loaded, await load(transaction, { ...noKeys, ...further }));
  }
}

/**
 * All statements are sent before the first answer, except that codes are looked up first. They name their columns, because
 * sessions keep them prepared.
 */
async function load(transaction: Transaction, wanted: BatchKeys): Promise<Loaded> {
  const ask: Ask = async <Found>(isNeeded: boolean, sql: string, parameters: readonly unknown[]) =>
    isNeeded ? ((await transaction.run(sql, parameters)).rows as Found[]) : [];
  const keys = { ...wanted, invitations: await openInvitations(ask, wanted) };
  const { newcomers } = keys;
  const digests = keys.invitations.map(({ digest }) => Buffer.from(digest));
  const byAlias = membersByAlias(keys);
  const hasOthers = digests.length > 0 || byAlias.isNeeded;
  const consumers = ask<Tables['consumers']>(
    keys.consumers.length > 0,
    `select id, kind, state, registered_at from consumers where id = any($1${hasOthers ? otherPeople : ''}) order by id for update`,
    [keys.consumers.map(({ id }) => id), ...(hasOthers ? [digests, ...byAlias.parameters] : [])],
  );
  // Read before the records: a used id was committed with its record, which the next statement then sees.
  const proofs = ask<Pick<Tables['proofs'], 'digest'>>(
    keys.proofs.length > 0,
    'select digest from proofs where digest = any($1::bytea[])',
    [keys.proofs.map((digest) => Buffer.from(digest))],
  );
  // Records that invitations lead to are locked in the same statement, so that there is one order of locks.
  const wantedRecords =
    digests.length === 0
      ? 'unnest($1::text[], $2::text[]) as wanted (collection, id)'
      : `(select * from unnest($1::text[], $2::text[]) as named (collection, id)
          union select collection, record_id from invitations where digest = any($3::bytea[])) as wanted`;
  const above = keys.parents === undefined ? null : lockWithAbove;
  const named = ask<Tables['records']>(
    keys.records.length > 0 || digests.length > 0,
    above ??
      `select ${columnsOfRecords} from records join ${wantedRecords}
       on records.collection = wanted.collection and records.id = wanted.id
     order by records.collection, records.id for update of records`,
    [
      keys.records.map(({ collection }) => collection),
      keys.records.map(({ id }) => id),
      ...(keys.parents === undefined ? [] : [JSON.stringify(keys.parents)]),
      ...(digests.length === 0 && above === null ? [] : [digests]),
    ],
  );
  const family = loadFamily(ask, keys);
  const people = loadPeople(ask, keys, digests);
  const usage = ask<Tables['usage']>(
    keys.usage.length > 0,
    // Also finds records of an owner in another of these collections, which does no harm.
    `select owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since from usage
     where owner = any($1) and collection = any($2)`,
    [namesIn(keys.usage, 'owner'), namesIn(keys.usage, 'collection')],
  );
  const used = [
    keys.idempotencyKeys.map(({ owner }) => owner),
    keys.idempotencyKeys.map(({ collection }) => collection),
    keys.idempotencyKeys.map(({ keyDigest }) => Buffer.from(keyDigest)),
  ];
  const wantedKeys = `idempotency_keys join unnest($1::text[], $2::text[], $3::bytea[]) as wanted (owner, collection, digest)
    on idempotency_keys.owner = wanted.owner and idempotency_keys.collection = wanted.collection
      and idempotency_keys.key_digest = wanted.digest`;
  const idempotencyKeys = ask<Tables['idempotency_keys']>(
    keys.idempotencyKeys.length > 0,
    `select idempotency_keys.owner, idempotency_keys.collection, key_digest, request_digest, record_ids, expires_at
     from ${wantedKeys}`,
    used,
  );
  const replayed = ask<Tables['records']>(
    keys.idempotencyKeys.length > 0,
    `select ${columnsOfRecords} from ${wantedKeys}
     join records on records.collection = wanted.collection and records.id = idempotency_keys.record_ids`,
    used,
  );
  const counted = ask<{ count: number }>(
    newcomers !== null,
    // The kind is a literal, so that the partial index is used.
    `select count(*) as count from
       (select from consumers where kind = 'user' and registered_at >= $1 limit $2) as newcomers`,
    [newcomers?.since, newcomers?.atMost],
  );
  // Attached at once: an unhandled rejection of one of them would end the process.
  await Promise.all([consumers, named, usage, idempotencyKeys, replayed, proofs, counted, people, family]);
  const { waitingRecords = [], ...under } = (await family) ?? {};
  const known = new Set((await consumers).map(({ id }) => id));
  return {
    consumers: (await consumers).map(toConsumer),
    spentBudgets: await loadSpentBudgets(
      transaction,
      keys.consumers.filter(({ id }) => !known.has(id)),
    ),
    usage: (await usage).map(toUsageOf),
    records: [...[...(await named), ...(await replayed)].map(toRecord), ...waitingRecords],
    ...under,
    idempotencyKeys: (await idempotencyKeys).map(toIdempotencyKey),
    proofs: (await proofs).map(({ digest }) => new Uint8Array(digest)),
    newcomers: (await counted)[0]?.count ?? 0,
    ...(await people),
  };
}

/** An unknown and an expired code lead to nothing: the statements after this one are the same for both. */
async function openInvitations(ask: Ask, { invitations }: BatchKeys): Promise<BatchKeys['invitations']> {
  const rows = await ask<Pick<Tables['invitations'], 'digest' | 'expires_at'>>(
    invitations.length > 0,
    'select digest, expires_at from invitations where digest = any($1::bytea[])',
    [invitations.map(({ digest }) => Buffer.from(digest))],
  );
  const isOpen = ({ digest, openAt }: BatchKeys['invitations'][number]) =>
    rows.some((row) => Buffer.compare(row.digest, digest) === 0 && row.expires_at > openAt);
  return invitations.filter(isOpen);
}

/**
 * The makers of codes, the owner who hands a record over, and members whose roles change. A new row in `members` locks the person that
 * it names, and this must not come after the lock of a record: a write or the erasure of that person has them in the other order.
 */
const otherPeople = `::text[]
    || array(select made_by from invitations where digest = any($2::bytea[]))
    || array(select owner from records join invitations
         on records.collection = invitations.collection and records.id = invitations.record_id
       where digest = any($2::bytea[]) and role = 'owner')
    || array(select member from members join unnest($3::text[], $4::text[], $5::bytea[]) as wanted (collection, id, alias)
         on members.collection = wanted.collection and members.record_id = wanted.id and members.alias = wanted.alias)`;

function membersByAlias({ members }: BatchKeys) {
  const named = members.filter(({ alias }) => alias !== null);
  const parameters = [
    named.map(({ collection }) => collection),
    named.map(({ id }) => id),
    named.map(({ alias }) => Buffer.from(alias ?? [])),
  ];
  return { isNeeded: named.length > 0, parameters };
}

/** Read after the records are locked: a transaction that changes the members of a record holds its lock. */
async function loadPeople(
  ask: Ask,
  keys: BatchKeys,
  digests: readonly Buffer[],
): Promise<Pick<Loaded, 'members' | 'memberCounts' | 'memberships' | 'invitations'>> {
  const hasCodes = digests.length > 0;
  const accepting = [digests, keys.invitations.map(({ member }) => member)];
  const accepted = `invitations join unnest($1::bytea[], $2::text[]) as wanted (digest, member)
    on invitations.digest = wanted.digest`;
  const invitations = ask<Tables['invitations']>(
    hasCodes,
    'select digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at from invitations where digest = any($1::bytea[])',
    [digests],
  );
  const wanted = keys.members.flatMap(({ collection, id, member, roles, rolesOfAll }) => [
    ...roles.map((role) => ({ collection, id, role, member })),
    ...rolesOfAll.map((role) => ({ collection, id, role, member: null })),
  ]);
  const members = ask<Tables['members']>(
    wanted.length > 0,
    `select ${columnsOfMembers} from members
       join json_to_recordset($1) as wanted (collection text, id text, role text, member text)
       on members.collection = wanted.collection and members.record_id = wanted.id and members.role = wanted.role
         and (wanted.member is null or members.member = wanted.member)`,
    [JSON.stringify(wanted)],
  );
  const aliases = membersByAlias(keys);
  const byAlias = ask<Tables['members']>(
    aliases.isNeeded,
    `select ${columnsOfMembers} from members
       join unnest($1::text[], $2::text[], $3::bytea[]) as wanted (collection, id, alias)
       on members.collection = wanted.collection and members.record_id = wanted.id and members.alias = wanted.alias`,
    aliases.parameters,
  );
  const ofInvited = ask<Tables['members']>(
    hasCodes,
    `select ${columnsOfMembers} from ${accepted}
     join members on members.collection = invitations.collection and members.record_id = invitations.record_id
       and members.member = wanted.member`,
    accepting,
  );
  const memberCounts = ask<Loaded['memberCounts'][number]>(
    keys.memberCounts.length > 0 || hasCodes,
    `select members.collection, record_id as id, role, count(*) as count from members
       join (select * from unnest($1::text[], $2::text[]) as named (collection, id)
         union select collection, record_id from invitations where digest = any($3::bytea[])) as wanted
       on members.collection = wanted.collection and members.record_id = wanted.id
     group by members.collection, record_id, role`,
    [keys.memberCounts.map(({ collection }) => collection), keys.memberCounts.map(({ id }) => id), digests],
  );
  const memberships = ask<Loaded['memberships'][number]>(
    keys.memberships.length > 0 || hasCodes,
    `select members.member as owner, members.collection, role, count(*) as count from members
       join (select * from unnest($3::text[], $4::text[]) as named (member, collection)
         union select wanted.member, invitations.collection from ${accepted}) as counted
       on members.member = counted.member and members.collection = counted.collection
     group by members.member, members.collection, role`,
    [
      ...accepting,
      keys.memberships.map(({ owner }) => owner),
      keys.memberships.map(({ collection }) => collection),
    ],
  );
  await Promise.all([invitations, members, byAlias, ofInvited, memberCounts, memberships]);
  return {
    invitations: (await invitations).map(toInvitation),
    members: [...(await members), ...(await byAlias), ...(await ofInvited)].map(toMember),
    memberCounts: await memberCounts,
    memberships: await memberships,
  };
}

const columnsOfMembers = ['collection', 'record_id', 'role', 'member', 'alias', 'since', 'record_created_at']
  .map((column) => `members.${column}`)
  .join(', ');

function namesIn(usage: BatchKeys['usage'], part: keyof OwnerInCollection): readonly string[] {
  return [...new Set(usage.map((one) => one[part]))];
}

/** Budgets of erased callers that have returned. */
async function loadSpentBudgets(
  transaction: Transaction,
  strangers: BatchKeys['consumers'],
): Promise<Loaded['spentBudgets']> {
  if (strangers.length === 0) return [];
  const { rows } = await transaction.run(
    `select spent_budgets.former, collection, writes, writes_since, newcomer_writes, newcomer_since, ends_at, wanted.id
     from spent_budgets join unnest($1::text[], $2::bytea[]) as wanted (id, former)
       on spent_budgets.former = wanted.former`,
    [strangers.map(({ id }) => id), strangers.map(({ former }) => Buffer.from(former()))],
  );
  return (rows as (Tables['spent_budgets'] & { id: string })[]).map((row) => toSpentBudget(row, row.id));
}

/**
 * Nothing is awaited: the commit fails with the first failure. One JSON value is a third cheaper to send than an array per
 * column.
 */
function apply(transaction: Transaction, changes: BatchChanges): void {
  const write = (rows: readonly unknown[], sql: string) => {
    if (rows.length > 0) void transaction.run(sql, [JSON.stringify(rows)]);
  };
  write(
    changes.newConsumers.toSorted(byId),
    `insert into consumers (id, kind, state, registered_at)
     select id, kind, state, "registeredAt"
     from json_to_recordset($1) as one (id text, kind text, state text, "registeredAt" bigint)`,
  );
  if (changes.takenUpBudgets.length > 0)
    void transaction.run('delete from spent_budgets where former = any($1)', [
      changes.takenUpBudgets.map((former) => Buffer.from(former)),
    ]);
  remove(transaction, changes.removedRecords);
  write(changes.newRecords.toSorted(byId), insertRecords);
  // An upsert, although each row exists: PostgreSQL would scan a small table for an update.
  write(changes.changedRecords, putRecords);
  for (const { put, removed } of changes.steps ?? []) {
    if (put !== undefined) write([put], putRecords);
    if (removed !== undefined) remove(transaction, [removed]);
  }
  applyUsage(transaction, changes, write);
  write(
    changes.idempotencyKeys.map(({ keyDigest, requestDigest, ...key }) => {
      return { ...key, keyDigest: toBytea(keyDigest), requestDigest: toBytea(requestDigest) };
    }),
    `insert into idempotency_keys (owner, collection, key_digest, request_digest, record_ids, expires_at)
     select owner, collection, "keyDigest", "requestDigest", "recordIds", "expiresAt"
     from json_to_recordset($1) as one (owner text, collection text, "keyDigest" bytea, "requestDigest" bytea,
       "recordIds" text, "expiresAt" bigint)
     on conflict (owner, collection, key_digest) do update
     set request_digest = excluded.request_digest, record_ids = excluded.record_ids, expires_at = excluded.expires_at`,
  );
  applyPeople(transaction, changes, write);
  applyFamily(transaction, changes);
  applyHistory(transaction, changes);
  // A proof that another process has used meanwhile violates the key; the retry finds it.
  write(
    changes.proofs
      .map(({ digest, expiresAt }) => ({ digest: toBytea(digest), expiresAt }))
      .toSorted((one, other) => (one.digest < other.digest ? -1 : 1)),
    `insert into proofs (digest, expires_at)
     select digest, "expiresAt" from json_to_recordset($1) as one (digest bytea, "expiresAt" bigint)`,
  );
  append(transaction, changes.events);
}

function remove(transaction: Transaction, records: readonly RecordName[]): void {
  if (records.length === 0) return;
  void transaction.run(
    `delete from records using unnest($1::text[], $2::text[]) as gone (collection, id)
     where records.collection = gone.collection and records.id = gone.id`,
    [records.map(({ collection }) => collection), records.map(({ id }) => id)],
  );
}

function applyPeople(
  transaction: Transaction,
  { newMembers, removedMembers, invitations, endedInvitations }: BatchChanges,
  write: (rows: readonly unknown[], sql: string) => void,
): void {
  write(
    removedMembers.map(({ collection, recordId, role, member }) => ({ collection, recordId, role, member })),
    `delete from members using json_to_recordset($1) as gone (collection text, "recordId" text, role text, member text)
     where members.collection = gone.collection and members.record_id = gone."recordId"
       and members.role = gone.role and members.member = gone.member`,
  );
  write(
    newMembers.map((one) => ({ ...one, alias: toBytea(one.alias) })),
    `insert into members (collection, record_id, role, member, alias, since, record_created_at)
     select collection, "recordId", role, member, alias, since, "recordCreatedAt"
     from json_to_recordset($1) as one (collection text, "recordId" text, role text, member text, alias bytea,
       since bigint, "recordCreatedAt" bigint)`,
  );
  write(
    endedInvitations,
    `delete from invitations using json_to_recordset($1) as ended (collection text, id text, "madeBy" text)
     where invitations.collection = ended.collection and invitations.record_id = ended.id
       and (ended."madeBy" is null or invitations.made_by = ended."madeBy")`,
  );
  const left = invitations.filter(({ usesLeft }) => usesLeft > 0);
  write(
    left.map((one) => ({ ...one, digest: toBytea(one.digest) })),
    `insert into invitations (digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at)
     select digest, id, collection, "recordId", role, "madeBy", "usesLeft", "expiresAt", "createdAt"
     from json_to_recordset($1) as one (digest bytea, id text, collection text, "recordId" text, role text,
       "madeBy" text, "usesLeft" bigint, "expiresAt" bigint, "createdAt" bigint)
     on conflict (digest) do update set uses_left = excluded.uses_left`,
  );
  const used = invitations.filter(({ usesLeft }) => usesLeft === 0);
  if (used.length > 0)
    void transaction.run('delete from invitations where digest = any($1::bytea[])', [
      used.map(({ digest }) => Buffer.from(digest)),
    ]);
}

/**
 * Runs last, because appending transactions wait for each other until the commit. The position is read after the lock is
 * taken.
 */
function append(transaction: Transaction, events: BatchChanges['events']): void {
  if (events.length === 0) return;
  void transaction.run(takeLock, [lockName(appendLock)]);
  void transaction.run(
    `insert into events (position, at, type, collection, record_id, owner, data)
     select (select coalesce(max(position), 0) from events) + nth, at, type, collection, "recordId", owner, data
     from rows from (json_to_recordset($1) as (at bigint, type text, collection text, "recordId" text, owner text, data text))
       with ordinality as one (at, type, collection, "recordId", owner, data, nth)`,
    [JSON.stringify(events.map(({ topics: _, ...event }) => event))],
  );
  // The events just appended are the last ones, in the same order.
  const topics = events.flatMap(({ topics = [] }, index) =>
    topics.map(({ topic, hasFields }) => {
      return { topic: `\\x${topic}`, back: events.length - 1 - index, fields: hasFields ? 1 : 0 };
    }),
  );
  if (topics.length > 0)
    void transaction.run(
      `insert into event_topics (topic, position, fields)
       select topic, (select max(position) from events) - back, fields
       from json_to_recordset($1) as one (topic bytea, back bigint, fields bigint)`,
      [JSON.stringify(topics)],
    );
}

const insertRecords = `insert into records (collection, id, owner, state, revision, created_at, updated_at, body, bytes)
  select collection, id, owner, state, revision, "createdAt", "updatedAt", body, octet_length(body)
  from json_to_recordset($1) as one (collection text, id text, owner text, state text, revision text,
    "createdAt" bigint, "updatedAt" bigint, body text)`;

const putRecords = `${insertRecords}
  on conflict (collection, id) do update
  set owner = excluded.owner, state = excluded.state, revision = excluded.revision, created_at = excluded.created_at,
    updated_at = excluded.updated_at, body = excluded.body, bytes = excluded.bytes`;

/** Usage rows are locked in the order of owners. */
function applyUsage(
  transaction: Transaction,
  { newUsage, changedUsage, movedUsage }: BatchChanges,
  write: (rows: readonly unknown[], sql: string) => void,
): void {
  const named = (usage: readonly OwnerInCollection[]) => [
    usage.map(({ owner }) => owner),
    usage.map(({ collection }) => collection),
  ];
  if (movedUsage.length > 0)
    void transaction.run(
      `select from usage join unnest($1::text[], $2::text[]) as wanted (owner, collection)
         on usage.owner = wanted.owner and usage.collection = wanted.collection
       order by usage.owner, usage.collection for update of usage`,
      named([...changedUsage, ...movedUsage]),
    );
  write(
    newUsage.map((one) => ({ ...one, moved: Math.max(one.records, 0) })),
    insertUsage,
  );
  write(
    changedUsage.toSorted(byOwner),
    `${insertUsage}
     on conflict (owner, collection) do update
     set records = greatest(usage.records + excluded.records, 0), writes = excluded.writes,
       writes_since = excluded.writes_since, newcomer_writes = excluded.newcomer_writes,
       newcomer_since = excluded.newcomer_since`,
  );
  if (movedUsage.length > 0)
    void transaction.run(
      `update usage set records = greatest(records + now.moved, 0)
       from unnest($1::text[], $2::text[], $3::bigint[]) as now (owner, collection, moved)
       where usage.owner = now.owner and usage.collection = now.collection`,
      [...named(movedUsage), movedUsage.map(({ moved }) => moved)],
    );
}

const insertUsage = `insert into usage
    (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
  select owner, collection, moved, writes, "writesSince", "newcomerWrites", "newcomerSince"
  from json_to_recordset($1) as one (owner text, collection text, moved bigint, writes bigint, "writesSince" bigint,
    "newcomerWrites" bigint, "newcomerSince" bigint)`;

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function byOwner(one: OwnerInCollection, other: OwnerInCollection): number {
  if (one.owner === other.owner) return one.collection < other.collection ? -1 : 1;
  return one.owner < other.owner ? -1 : 1;
}

function toBytea(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
