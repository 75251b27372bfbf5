import type { Engine } from './engine.ts';

/** The schema of the first release, which stays as it is: a later change is a step in migrations.ts. The descriptions in tables.ts say what is in a table. Every index slows every write, so `record-indexes.ts` creates those of declarations. */
export function initialStatements(engine: Engine['name']): readonly string[] {
  const isPostgres = engine === 'postgres';
  // Strings compare byte by byte on both databases; a locale's collation would order and match differently.
  const text = isPostgres ? 'text collate "C"' : 'text';
  const integer = isPostgres ? 'bigint' : 'integer';
  const bytes = isPostgres ? 'bytea' : 'blob';
  const counter = isPostgres ? 'bigint generated always as identity' : 'integer';
  const table = (name: string, columns: string) =>
    `create table ${name} (${columns})${isPostgres ? '' : ' strict'}`;
  /** A table of small rows that are found by key only: SQLite stores them in the index of the key. */
  const keyedTable = (name: string, columns: string) =>
    `create table ${name} (${columns})${isPostgres ? '' : ' strict, without rowid'}`;
  return [
    table(
      'clients',
      `id ${text} primary key not null,
      label ${text} not null,
      state ${text} not null check (state in ('active', 'disabled')),
      created_at ${integer} not null,
      scopes ${text} not null default '',
      public_keys ${text},
      mac ${bytes}`,
    ),
    table(
      'client_secrets',
      `id ${text} primary key not null,
      client_id ${text} not null references clients (id) on delete cascade,
      digest ${bytes} not null,
      created_at ${integer} not null,
      label ${text} not null default '',
      expires_at ${integer},
      last_used_on ${integer}`,
    ),
    'create index client_secrets_client on client_secrets (client_id)',
    table(
      'used_assertions',
      `client_id ${text} not null,
      digest ${bytes} not null,
      expires_at ${integer} not null,
      constraint used_assertions_key primary key (client_id, digest)`,
    ),
    'create index used_assertions_expiry on used_assertions (expires_at)',
    table(
      'consumers',
      `id ${text} primary key not null,
      kind ${text} not null check (kind in ('user', 'client')),
      state ${text} not null check (state in ('active', 'suspended')),
      registered_at ${integer} not null`,
    ),
    `create index consumers_suspended on consumers (id) where state = 'suspended'`,
    `create index consumers_newcomers on consumers (registered_at) where kind = 'user'`,
    keyedTable(
      'erasures',
      `id ${text} primary key not null,
      digest ${bytes} not null,
      at ${integer} not null`,
    ),
    table(
      'revocations',
      `name ${text} primary key not null,
      issued_until ${integer} not null,
      forget_at ${integer} not null,
      seq ${integer} not null,
      issuer ${text},
      moved_from ${integer}`,
    ),
    'create index revocations_seq on revocations (seq)',
    keyedTable(
      'proofs',
      `digest ${bytes} primary key not null,
      expires_at ${integer} not null`,
    ),
    'create index proofs_expiry on proofs (expires_at)',
    table(
      'documents',
      `name ${text} primary key not null,
      content ${text} not null,
      mac ${bytes} not null`,
    ),
    table(
      'signing_keys',
      `kid ${text} primary key not null,
      algorithm ${text} not null,
      public_jwk ${text} not null,
      sealed_private_key ${bytes} not null,
      created_at ${integer} not null,
      signs_from ${integer} not null default 0,
      retires_at ${integer}`,
    ),
    table(
      'records',
      `collection ${text} not null,
      id ${text} not null,
      owner ${text} not null,
      parent_id ${text},
      state ${text},
      revision ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      bytes ${integer} not null generated always as (octet_length(body)) stored,
      body ${text} not null,
      constraint records_key primary key (collection, id)`,
    ),
    'create index records_owner on records (owner, collection, created_at, id)',
    'create index records_state on records (collection, state, created_at, id) where state is not null',
    // Records under a parent: lists, and those that wait for a place.
    'create index records_under on records (collection, parent_id, created_at, id) where parent_id is not null',
    `create index records_waiting on records (collection, parent_id, state, created_at, id)
      where parent_id is not null and state is not null`,
    keyedTable(
      'members',
      `collection ${text} not null,
      record_id ${text} not null,
      role ${text} not null,
      member ${text} not null references consumers (id) on delete cascade,
      alias ${bytes} not null,
      since ${integer} not null,
      record_created_at ${integer} not null,
      constraint members_key primary key (collection, record_id, role, member),
      constraint members_record foreign key (collection, record_id) references records (collection, id) on delete cascade`,
    ),
    'create index members_of on members (member, collection, record_created_at, record_id, role)',
    'create index members_alias on members (collection, record_id, alias, role)',
    keyedTable(
      'record_history',
      `collection ${text} not null,
      record_id ${text} not null,
      n ${integer} not null,
      at ${integer} not null,
      action ${text} not null,
      from_state ${text},
      to_state ${text},
      role ${text},
      constraint record_history_key primary key (collection, record_id, n),
      constraint record_history_record foreign key (collection, record_id) references records (collection, id) on delete cascade`,
    ),
    keyedTable(
      'tallies',
      `collection ${text} not null,
      record_id ${text} not null,
      child ${text} not null,
      state ${text} not null,
      n ${integer} not null,
      constraint tallies_key primary key (collection, record_id, child, state),
      constraint tallies_record foreign key (collection, record_id) references records (collection, id) on delete cascade`,
    ),
    'create index tallies_state on tallies (child, state, record_id) where n > 0',
    keyedTable(
      'child_work',
      `child ${text} not null,
      parent_id ${text} not null,
      what ${text} not null,
      new_owner ${text},
      at ${integer} not null,
      constraint child_work_key primary key (child, parent_id, what)`,
    ),
    keyedTable(
      'invitations',
      `digest ${bytes} primary key not null,
      id ${text} not null,
      collection ${text} not null,
      record_id ${text} not null,
      role ${text} not null,
      made_by ${text} not null references consumers (id) on delete cascade,
      uses_left ${integer} not null,
      expires_at ${integer} not null,
      created_at ${integer} not null,
      constraint invitations_record foreign key (collection, record_id) references records (collection, id) on delete cascade`,
    ),
    'create index invitations_of on invitations (collection, record_id, created_at)',
    'create index invitations_maker on invitations (made_by)',
    'create index invitations_expiry on invitations (expires_at)',
    keyedTable(
      'usage',
      `owner ${text} not null,
      collection ${text} not null,
      records ${integer} not null,
      writes ${integer} not null,
      writes_since ${integer} not null,
      newcomer_writes ${integer} not null,
      newcomer_since ${integer} not null,
      constraint usage_key primary key (owner, collection)`,
    ),
    keyedTable(
      'spent_budgets',
      `former ${bytes} not null,
      collection ${text} not null,
      writes ${integer} not null,
      writes_since ${integer} not null,
      newcomer_writes ${integer} not null,
      newcomer_since ${integer} not null,
      ends_at ${integer} not null,
      constraint spent_budgets_key primary key (former, collection)`,
    ),
    'create index spent_budgets_end on spent_budgets (ends_at)',
    keyedTable(
      'idempotency_keys',
      `owner ${text} not null,
      collection ${text} not null,
      key_digest ${bytes} not null,
      request_digest ${bytes} not null,
      record_ids ${text} not null,
      expires_at ${integer} not null,
      constraint idempotency_keys_key primary key (owner, collection, key_digest)`,
    ),
    'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
    // The transaction that appends gives the positions (stores/events.ts): a sequence would give them before the commit.
    table(
      'events',
      `position ${integer} primary key not null,
      at ${integer} not null,
      type ${text} not null,
      collection ${text},
      record_id ${text},
      owner ${text} not null,
      data ${text} not null`,
    ),
    `create index events_owner on events (${indexedOwner}, position)`,
    keyedTable(
      'event_topics',
      `topic ${bytes} not null,
      position ${integer} not null references events (position) on delete cascade,
      fields ${integer} not null,
      constraint event_topics_key primary key (topic, position)`,
    ),
    'create index event_topics_event on event_topics (position)',
    table(
      'webhooks',
      `id ${text} primary key not null,
      url ${text} not null,
      events ${text} not null,
      secret ${bytes} not null,
      previous_secret ${bytes},
      previous_ends_at ${integer},
      created_at ${integer} not null,
      state ${text} not null check (state in ('active', 'disabled')),
      disabled_because ${text},
      position ${integer} not null,
      failing_since ${integer},
      failures ${integer} not null,
      paused_until ${integer},
      last_success_at ${integer},
      last_failure ${text},
      delivered ${integer} not null`,
    ),
    // Deleting an event, because it is old or its owner is erased, deletes its deliveries.
    keyedTable(
      'deliveries',
      `webhook_id ${text} not null references webhooks (id) on delete cascade,
      position ${integer} not null references events (position) on delete cascade,
      record_key ${text} not null,
      attempts ${integer} not null,
      due_at ${integer} not null,
      state ${text} not null check (state in ('pending', 'dead')),
      reason ${text},
      tried_at ${integer},
      constraint deliveries_key primary key (webhook_id, position)`,
    ),
    // Dead letters are counted every few seconds, beside any number of pending deliveries.
    `create index deliveries_dead on deliveries (webhook_id, position) where state = 'dead'`,
    'create index deliveries_event on deliveries (position)',
    // Only failed deliveries have a due time, and they are few.
    `create index deliveries_waiting on deliveries (webhook_id, due_at)
      where state = 'pending' and tried_at is not null`,
    table(
      'changes',
      `id ${integer} primary key not null check (id = 1),
      consumers ${integer} not null default 0,
      clients ${integer} not null default 0,
      revocations ${integer} not null default 0,
      signing_keys ${integer} not null default 0,
      webhooks ${integer} not null default 0`,
    ),
    'insert into changes (id) values (1)',
    table(
      'leases',
      `name ${text} primary key not null,
      holder ${text} not null,
      ends_at ${integer} not null`,
    ),
    table(
      'audit',
      `seq ${counter} primary key,
      at ${integer} not null,
      actor ${text} not null,
      node ${text} not null,
      action ${text} not null,
      subject ${text} not null,
      details ${text} not null`,
    ),
    ...(isPostgres ? appendOnlyOnPostgres : appendOnlyOnSqlite),
  ];
}

/** A prefix of the owner in the index of events: enough to tell owners apart, at a quarter of the size. */
export const indexedOwner = 'substr(owner, 5, 8)';

const appendOnlyOnPostgres = [
  `create function refuse_change() returns trigger language plpgsql
    as $$ begin raise exception '% is append-only', tg_table_name; end $$`,
  `create trigger append_only before update or delete or truncate on audit
    for each statement execute function refuse_change()`,
];

/** An `insert or replace` skips the delete trigger, so it has its own. `seq` is not above 0 in a row that SQLite numbers. */
const appendOnlyOnSqlite = [
  `create trigger audit_refuses_update before update on audit
    begin select raise(abort, 'the table is append-only'); end`,
  `create trigger audit_refuses_delete before delete on audit
    begin select raise(abort, 'the table is append-only'); end`,
  `create trigger audit_refuses_replacement before insert on audit
    when new.seq > 0 and exists (select 1 from audit where seq = new.seq)
    begin select raise(abort, 'the table is append-only'); end`,
];
