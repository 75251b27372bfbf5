import { randomBytes, randomUUID } from 'node:crypto';
import type {
  AuditEntry,
  Client,
  ClientSecret,
  ClientWithSecrets,
  NewEvent,
  RecordQuery,
  SigningKeyRecord,
  StoredRecord,
  Usage,
} from '../../../src/storage/port.ts';
import { anyKeys, openedAt } from './databases.ts';

export const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Texts that a careless query, collation or driver would confuse or spoil. */
export const oddTexts = [
  ...[
    '',
    ' ',
    'Alice',
    'alice',
    'Alice ',
    'caf\u00e9',
    'cafe\u0301',
    '\ufeffalice',
    'stra\u00dfe',
    'strasse',
  ],
  ...['\u{1f469}\u200d\u{1f4bb}', '\u{1f469}', "'; drop table clients; --", '" or ""="', "it''s", '\\'],
  ...['%', '_', '$1', '?1', '{"json": [1]}', 'line\nbreak\r\ttab', 'a'.repeat(10_000)],
];

export function newClient(changes: Partial<Client> = {}): Client {
  return {
    id: randomUUID(),
    label: '',
    state: 'active',
    scopes: [],
    publicKeys: null,
    createdAt: openedAt,
    ...changes,
  };
}

/** A client with its secrets as the storage gives it back. */
export function sealed(client: Client, secrets: readonly ClientSecret[]): ClientWithSecrets {
  const mac = new Uint8Array(anyKeys.clientMac.of({ ...client, secrets }));
  return { ...client, secrets, mac };
}

export function newSecret(changes: Partial<ClientSecret> = {}): ClientSecret {
  return {
    id: randomUUID(),
    label: '',
    digest: new Uint8Array(randomBytes(32)),
    createdAt: openedAt,
    expiresAt: null,
    lastUsedOn: null,
    ...changes,
  };
}

/** A line of the audit that a test has no further interest in. */
export const anyLine: AuditEntry = newLine();

export function newLine(changes: Partial<AuditEntry> = {}): AuditEntry {
  return { at: openedAt, actor: 'test', node: 'here', action: 'done', subject: 'x', details: {}, ...changes };
}

export function newSigningKey(changes: Partial<SigningKeyRecord> = {}): SigningKeyRecord {
  return {
    kid: randomUUID(),
    algorithm: 'RS256',
    publicJwk: '{"kty":"RSA","n":"\u00e9"}',
    sealedPrivateKey: new Uint8Array([...everyByte, ...randomBytes(8)]),
    createdAt: openedAt,
    signsFrom: openedAt,
    retiresAt: null,
    ...changes,
  };
}

/** A record of a collection without states; its fields are given as they are and kept as JSON. */
export function newRecord(
  changes: Partial<StoredRecord> & { readonly fields?: Readonly<Record<string, unknown>> } = {},
): StoredRecord {
  const { fields = {}, ...others } = changes;
  return {
    collection: 'notes',
    id: randomUUID(),
    owner: 'usr_somebody',
    parentId: null,
    state: null,
    revision: randomUUID(),
    createdAt: openedAt,
    updatedAt: openedAt,
    body: JSON.stringify(fields),
    ...others,
  };
}

/** The first records of all owners, oldest first. */
export function newQuery(changes: Partial<RecordQuery> = {}): RecordQuery {
  return {
    collection: 'notes',
    owner: null,
    state: null,
    conditions: [],
    sort: { field: 'created_at', descending: false },
    after: null,
    limit: 100,
    expiredAt: null,
    ...changes,
  };
}

export const noUsage: Usage = { records: 0, writes: 0, writesSince: 0, newcomerWrites: 0, newcomerSince: 0 };

/** An event about a note; `number` tells it from others. */
export function newEvent(number: number, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    at: openedAt + number,
    type: 'notes.created',
    collection: 'notes',
    recordId: randomUUID(),
    owner: 'usr_someone',
    data: JSON.stringify({ number }),
    ...changes,
  };
}

/** The events of the log about an erased caller. */
export function erasureOf(owner: string): NewEvent {
  return newEvent(0, { type: 'consumer.erased', collection: null, recordId: null, owner });
}

/** Of what expires the log tells nothing. */
export const untold = (): null => null;
