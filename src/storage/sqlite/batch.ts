import { Buffer } from 'node:buffer';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { loadInRounds } from '../family.ts';
import { comparable, fieldText, quoted } from '../field-text.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  Loaded,
  Outcome,
  StoredRecord,
  UniqueValues,
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
import { longestHistory } from '../stores/record-history.ts';
import { nextMark } from './residue.ts';

/** Runs batches synchronously on the writing connection: each row costs a few microseconds. */
export class SqliteBatches {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareAll>;
  readonly #rules: BatchRules;
  /** Statements for declared collections: their number is bounded. */
  readonly #more = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, rules: BatchRules) {
    this.#database = database;
    this.#statements = prepareAll(database);
    this.#rules = rules;
  }

  run(operations: readonly unknown[]): readonly Outcome[] {
    const database = this.#database;
    database.exec('begin immediate');
    try {
      const first = this.#load(this.#rules.keysOf(operations));
      const loaded = loadInRounds(this.#rules, operations, first, (keys) => this.#load(keys));
      const { changes, outcomes } = this.#rules.decide(operations, loaded);
      this.#apply(changes);
      database.exec('commit');
      return outcomes;
    } catch (error) {
      // A full disk has already ended the transaction.
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  #load(keys: BatchKeys): Loaded {
    const { consumer, spentBudgets, usage, record, idempotencyKey, proof, newcomers } = this.#statements;
    const people = this.#loadPeople(keys);
    const wanted = [...keys.consumers.map(({ id }) => id), ...people.invitations.map(({ madeBy }) => madeBy)];
    const consumers = wanted.flatMap((id) => one<Tables['consumers']>(consumer.get(id)));
    const known = new Set(consumers.map(({ id }) => id));
    const strangers = keys.consumers.filter(({ id }) => !known.has(id));
    const spent = strangers.flatMap(({ id, former }) =>
      (spentBudgets.all(former()) as unknown as Tables['spent_budgets'][]).map((row) =>
        toSpentBudget(row, id),
      ),
    );
    const idempotencyKeys = keys.idempotencyKeys.flatMap(({ owner, collection, keyDigest }) =>
      one<Tables['idempotency_keys']>(idempotencyKey.get(owner, collection, keyDigest)),
    );
    const names = [
      ...keys.records,
      ...idempotencyKeys.map(({ collection, record_ids }) => ({ collection, id: record_ids })),
      ...people.invitations.map(({ collection, recordId }) => ({ collection, id: recordId })),
    ];
    const { waitingRecords: waiting, ...family } = this.#loadFamily(keys);
    return {
      ...people,
      consumers: consumers.map(toConsumer),
      spentBudgets: spent,
      usage: keys.usage
        .flatMap(({ owner, collection }) => one<Tables['usage']>(usage.get(owner, collection)))
        .map(toUsageOf),
      records: [
        ...this.#withAbove(
          names
            .flatMap(({ collection, id }) => one<Tables['records']>(record.get(collection, id)))
            .map(toRecord),
          keys.parents,
        ),
        ...waiting,
      ],
      ...family,
      idempotencyKeys: idempotencyKeys.map(toIdempotencyKey),
      proofs: keys.proofs.filter((digest) => proof.get(digest) !== undefined),
      newcomers:
        keys.newcomers === null
          ? 0
          : Number(newcomers.get(keys.newcomers.since, keys.newcomers.atMost)?.count ?? 0),
    };
  }

  /** The records, and all of their parents. */
  #withAbove(records: readonly StoredRecord[], parents: BatchKeys['parents']): readonly StoredRecord[] {
    if (parents === undefined) return records;
    const all = new Map(records.map((one) => [`${one.collection} ${one.id}`, one]));
    // A loop over a Map also visits entries that are added meanwhile.
    for (const below of all.values()) {
      const parent = parents.find(({ child }) => child === below.collection);
      if (parent === undefined) continue;
      const { collection } = parent;
      const id = String(JSON.parse(below.body)[parent.field]);
      for (const row of one<Tables['records']>(this.#statements.record.get(collection, id)))
        all.set(`${collection} ${id}`, all.get(`${collection} ${id}`) ?? toRecord(row));
    }
    return [...all.values()];
  }

  #loadFamily({ tallies, unique, waiting, children }: BatchKeys) {
    if (tallies === undefined) return { waitingRecords: [] };
    const inFull = (waiting ?? []).map(({ field, state, limit, ...of }) => {
      const rows = this.#under(of.child, field, `and state = ${quoted(state)} order by created_at, id`).all(
        of.id,
        limit,
      );
      return { ...of, records: rowsOf<Tables['records']>(rows).map(toRecord) };
    });
    return {
      tallies: tallies.flatMap(({ collection, id, child }) =>
        rowsOf<{ state: string; count: number }>(this.#statements.tallies.all(collection, id, child)).map(
          (row) => ({ collection, id, child, ...row }),
        ),
      ),
      unique: (unique ?? []).flatMap((wanted) =>
        rowsOf<{ id: string }>(this.#same(wanted).all(...wanted.values.map(comparable))).map(({ id }) => {
          const { collection, rule, values } = wanted;
          return { collection, rule, key: JSON.stringify(values), id };
        }),
      ),
      waiting: inFull.map(({ records, ...of }) => ({ ...of, ids: records.map(({ id }) => id) })),
      waitingRecords: inFull.flatMap(({ records }) => records),
      children: (children ?? []).map(({ field, limit, ...of }) => {
        const rows = this.#under(of.child, field, '').all(of.id, limit);
        return { ...of, ids: rowsOf<{ id: string }>(rows).map(({ id }) => id) };
      }),
    };
  }

  /** The records of a collection under a parent. The collection is a literal, so that its index is used. */
  #under(child: string, field: string, rest: string) {
    const parent = fieldText('sqlite', { name: field, kind: 'text' });
    return this.#prepared(
      `select * from records where collection = ${quoted(child)} and ${parent} = ? ${rest} limit ?`,
    );
  }

  #same({ collection, columns, states }: UniqueValues) {
    const conditions = columns.map((column) =>
      column === 'owner' ? 'owner = ?' : `${fieldText('sqlite', column)} = ?`,
    );
    const counted = states === null ? '' : ` and state in (${states.map(quoted).join(', ')})`;
    return this.#prepared(
      `select id from records where collection = ${quoted(collection)} and ${conditions.join(' and ')}${counted} limit 2`,
    );
  }

  #prepared(text: string): StatementSync {
    const statement = this.#more.get(text) ?? this.#database.prepare(text);
    this.#more.set(text, statement);
    return statement;
  }

  #loadPeople(keys: BatchKeys): Pick<Loaded, 'members' | 'memberCounts' | 'memberships' | 'invitations'> {
    const { invitation, membersOfRecord, memberByAlias, memberCounts, memberships } = this.#statements;
    const invitations = keys.invitations.flatMap(({ digest, member, openAt }) =>
      one<Tables['invitations']>(invitation.get(digest, openAt)).map((row) => ({
        member,
        ...toInvitation(row),
      })),
    );
    const wanted = [
      ...keys.members,
      ...invitations.map(({ collection, recordId, member }) => {
        const roles = keys.memberRoles[collection] ?? [];
        return { collection, id: recordId, member, roles, rolesOfAll: [], alias: null };
      }),
    ];
    const members = wanted.flatMap(({ collection, id, member, roles, rolesOfAll, alias }) => [
      ...rowsOf<Tables['members']>(
        membersOfRecord.all(collection, id, member, JSON.stringify(roles), JSON.stringify(rolesOfAll)),
      ),
      ...(alias === null ? [] : rowsOf<Tables['members']>(memberByAlias.all(collection, id, alias))),
    ]);
    const counted = [
      ...keys.memberCounts,
      ...invitations.map(({ collection, recordId }) => ({ collection, id: recordId })),
    ];
    const people = [
      ...keys.memberships,
      ...invitations.map(({ collection, member }) => ({ collection, owner: member })),
    ];
    type Counted = { readonly role: string; readonly count: number };
    return {
      members: members.map(toMember),
      invitations,
      memberCounts: counted.flatMap(({ collection, id }) =>
        rowsOf<Counted>(memberCounts.all(collection, id)).map((row) => ({ collection, id, ...row })),
      ),
      memberships: people.flatMap(({ owner, collection }) =>
        rowsOf<Counted>(memberships.all(owner, collection)).map((row) => ({ owner, collection, ...row })),
      ),
    };
  }

  #apply(changes: BatchChanges): void {
    const to = this.#statements;
    for (const { id, kind, state, registeredAt } of changes.newConsumers)
      to.insertConsumer.run(id, kind, state, registeredAt);
    for (const former of changes.takenUpBudgets) to.takeUpBudgets.run(former);
    for (const { collection, id } of changes.removedRecords) to.removeRecord.run(collection, id);
    for (const record of changes.newRecords) to.insertRecord.run(...columnsOf(record));
    for (const record of changes.changedRecords) {
      const [collection, id, ...columns] = columnsOf(record);
      to.changeRecord.run(...columns, collection, id);
    }
    for (const { put, removed } of changes.steps ?? []) {
      if (put !== undefined) to.putRecord.run(...columnsOf(put));
      if (removed !== undefined) to.removeRecord.run(removed.collection, removed.id);
    }
    for (const one of changes.newUsage) {
      const { owner, collection, writes, writesSince, newcomerWrites, newcomerSince } = one;
      const records = Math.max(one.records, 0);
      to.insertUsage.run(owner, collection, records, writes, writesSince, newcomerWrites, newcomerSince);
    }
    for (const one of changes.changedUsage) {
      const { owner, collection, moved, writes, writesSince, newcomerWrites, newcomerSince } = one;
      to.changeUsage.run(moved, writes, writesSince, newcomerWrites, newcomerSince, owner, collection);
    }
    for (const { owner, collection, moved } of changes.movedUsage) to.moveUsage.run(moved, owner, collection);
    for (const key of changes.idempotencyKeys) {
      const { owner, collection, keyDigest, requestDigest, recordIds, expiresAt } = key;
      to.putIdempotencyKey.run(owner, collection, keyDigest, requestDigest, recordIds, expiresAt);
    }
    for (const { collection, recordId, role, member } of changes.removedMembers)
      to.removeMember.run(collection, recordId, role, member);
    for (const one of changes.newMembers) {
      const { collection, recordId, role, member, alias, since, recordCreatedAt } = one;
      to.insertMember.run(collection, recordId, role, member, alias, since, recordCreatedAt);
    }
    for (const { collection, id, madeBy } of changes.endedInvitations)
      to.endInvitations.run(collection, id, madeBy);
    for (const one of changes.invitations) {
      const { digest, id, collection, recordId, role, madeBy, usesLeft, expiresAt, createdAt } = one;
      if (usesLeft === 0) to.removeInvitation.run(digest);
      else
        to.putInvitation.run(digest, id, collection, recordId, role, madeBy, usesLeft, expiresAt, createdAt);
    }
    for (const { collection, id, child, state, count } of changes.tallies ?? [])
      to.moveTally.run(collection, id, child, state, count);
    for (const { child, parentId, what, owner, at } of changes.childWork ?? [])
      to.putChildWork.run(child, parentId, what, owner, at);
    for (const { collection, recordId, at, action, from, to: state, role } of changes.history ?? []) {
      const last = to.lastHistory.get(collection, recordId) as { readonly n: number };
      to.insertHistory.run(collection, recordId, last.n + 1, at, action, from, state, role);
      if (last.n >= longestHistory) to.removeHistory.run(collection, recordId, last.n + 1 - longestHistory);
    }
    for (const { digest, expiresAt } of changes.proofs) to.insertProof.run(digest, expiresAt);
    this.#append(changes.events);
    const { removedRecords, steps = [] } = changes;
    if (removedRecords.length > 0 || steps.some(({ removed }) => removed !== undefined)) this.#markDeletion();
  }

  #markDeletion(): void {
    const { user_version: mark } = this.#statements.mark.get() as { readonly user_version: number };
    this.#database.exec(`pragma user_version = ${nextMark(mark, false)}`);
  }

  /** The transaction is the only writer, so the next position is free. */
  #append(events: BatchChanges['events']): void {
    if (events.length === 0) return;
    const { lastPosition, insertEvent, insertTopic } = this.#statements;
    let position = Number(lastPosition.get()?.last ?? 0);
    for (const { at, type, collection, recordId, owner, data, topics = [] } of events) {
      position += 1;
      insertEvent.run(position, at, type, collection, recordId, owner, data);
      for (const { topic, hasFields } of topics)
        insertTopic.run(Buffer.from(topic, 'hex'), position, hasFields ? 1 : 0);
    }
  }
}

function rowsOf<Row>(rows: readonly unknown[]): readonly Row[] {
  return rows as readonly Row[];
}

function columnsOf({ collection, id, owner, state, revision, createdAt, updatedAt, body }: StoredRecord) {
  return [
    collection,
    id,
    owner,
    state,
    revision,
    createdAt,
    updatedAt,
    body,
    Buffer.byteLength(body),
  ] as const;
}

function one<Row>(row: unknown): Row[] {
  return row === undefined ? [] : [row as Row];
}

function prepareAll(database: DatabaseSync) {
  return {
    consumer: database.prepare('select * from consumers where id = ?'),
    spentBudgets: database.prepare('select * from spent_budgets where former = ?'),
    usage: database.prepare('select * from usage where owner = ? and collection = ?'),
    record: database.prepare('select * from records where collection = ? and id = ?'),
    idempotencyKey: database.prepare(
      'select * from idempotency_keys where owner = ? and collection = ? and key_digest = ?',
    ),
    proof: database.prepare('select 1 from proofs where digest = ?'),
    // The kind is a literal, so that the partial index is used.
    newcomers: database.prepare(
      `select count(*) as count from (select 1 from consumers where kind = 'user' and registered_at >= ? limit ?)`,
    ),
    insertConsumer: database.prepare(
      'insert into consumers (id, kind, state, registered_at) values (?, ?, ?, ?)',
    ),
    takeUpBudgets: database.prepare('delete from spent_budgets where former = ?'),
    insertRecord: database.prepare(
      `insert into records (collection, id, owner, state, revision, created_at, updated_at, body, bytes)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    putRecord: database.prepare(
      `insert into records (collection, id, owner, state, revision, created_at, updated_at, body, bytes)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (collection, id) do update
       set owner = excluded.owner, state = excluded.state, revision = excluded.revision, updated_at = excluded.updated_at,
         body = excluded.body, bytes = excluded.bytes`,
    ),
    changeRecord: database.prepare(
      `update records set owner = ?, state = ?, revision = ?, created_at = ?, updated_at = ?, body = ?, bytes = ?
       where collection = ? and id = ?`,
    ),
    removeRecord: database.prepare('delete from records where collection = ? and id = ?'),
    insertUsage: database.prepare(
      `insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ),
    changeUsage: database.prepare(
      `update usage set records = max(records + ?, 0), writes = ?, writes_since = ?, newcomer_writes = ?, newcomer_since = ?
       where owner = ? and collection = ?`,
    ),
    moveUsage: database.prepare(
      'update usage set records = max(records + ?, 0) where owner = ? and collection = ?',
    ),
    putIdempotencyKey: database.prepare(
      `insert into idempotency_keys (owner, collection, key_digest, request_digest, record_ids, expires_at)
       values (?, ?, ?, ?, ?, ?)
       on conflict (owner, collection, key_digest) do update
       set request_digest = excluded.request_digest, record_ids = excluded.record_ids, expires_at = excluded.expires_at`,
    ),
    membersOfRecord: database.prepare(
      `select * from members
       where collection = ?1 and record_id = ?2 and role in (select value from json_each(?4)) and member = ?3
       union select * from members
       where collection = ?1 and record_id = ?2 and role in (select value from json_each(?5))`,
    ),
    memberByAlias: database.prepare(
      'select * from members where collection = ? and record_id = ? and alias = ?',
    ),
    memberCounts: database.prepare(
      'select role, count(*) as count from members where collection = ? and record_id = ? group by role',
    ),
    memberships: database.prepare(
      'select role, count(*) as count from members where member = ? and collection = ? group by role',
    ),
    insertMember: database.prepare(
      `insert into members (collection, record_id, role, member, alias, since, record_created_at)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeMember: database.prepare(
      'delete from members where collection = ? and record_id = ? and role = ? and member = ?',
    ),
    invitation: database.prepare('select * from invitations where digest = ? and expires_at > ?'),
    putInvitation: database.prepare(
      `insert into invitations (digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (digest) do update set uses_left = excluded.uses_left`,
    ),
    removeInvitation: database.prepare('delete from invitations where digest = ?'),
    endInvitations: database.prepare(
      'delete from invitations where collection = ?1 and record_id = ?2 and (?3 is null or made_by = ?3)',
    ),
    tallies: database.prepare(
      'select state, n as count from tallies where collection = ? and record_id = ? and child = ?',
    ),
    // The parent may be gone.
    moveTally: database.prepare(
      `insert into tallies (collection, record_id, child, state, n)
       select ?1, ?2, ?3, ?4, ?5 where exists (select 1 from records where collection = ?1 and id = ?2)
       on conflict (collection, record_id, child, state) do update set n = n + excluded.n`,
    ),
    lastHistory: database.prepare(
      'select coalesce(max(n), 0) as n from record_history where collection = ? and record_id = ?',
    ),
    insertHistory: database.prepare(
      `insert into record_history (collection, record_id, n, at, action, from_state, to_state, role)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeHistory: database.prepare(
      'delete from record_history where collection = ? and record_id = ? and n <= ?',
    ),
    putChildWork: database.prepare(
      `insert into child_work (child, parent_id, what, new_owner, at) values (?, ?, ?, ?, ?)
       on conflict (child, parent_id, what) do update set new_owner = excluded.new_owner`,
    ),
    insertTopic: database.prepare('insert into event_topics (topic, position, fields) values (?, ?, ?)'),
    mark: database.prepare('pragma user_version'),
    insertProof: database.prepare('insert into proofs (digest, expires_at) values (?, ?)'),
    lastPosition: database.prepare('select max(position) as last from events'),
    insertEvent: database.prepare(
      `insert into events (position, at, type, collection, record_id, owner, data) values (?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}
