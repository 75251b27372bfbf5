import { Refusal } from '../../base/errors.ts';
import { type Answer, json } from '../../base/handler.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { Caller } from './caller.ts';
import { readFields, toBody } from './fields.ts';
import type { CollectionWriteParts } from './parts.ts';
import { etagOf, present } from './present.ts';
import { replayed } from './uncharged-writes.ts';
import type { WriteHandler, WriteInput } from './write-handler.ts';
import { isExpired, type Writing, write } from './writing.ts';

/** How long a key stands for the record that was made with it. */
export const idempotencyMs = 24 * 3_600_000;

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** POST /<collection> */
export function createRecord(parts: CollectionWriteParts): WriteHandler {
  return async (input, principal) => {
    const { collection, clock, newId } = parts;
    const caller = Caller.admit(collection, principal, 'write');
    const body = toBody(collection, readFields(input));
    const key = idempotencyKey(input);
    const [record, headers] = await write(parts, caller, async (writing) => {
      const made = key === null ? null : await madeWith(key, body, parts, caller, writing);
      if (made !== null) return [made, { [replayed]: 'true' }];
      const record = await insert(newId(clock.now()), body, 1, parts, caller, writing);
      if (key !== null) remember(key, record, parts, caller, writing);
      return [record, writing.headers];
    });
    return created(record, headers, parts, caller);
  };
}

/** PUT /<collection>/{id} with `If-None-Match: *`: a record under an id that the caller made. */
export async function createUnder(
  id: string,
  input: WriteInput,
  parts: CollectionWriteParts,
  caller: Caller,
): Promise<Answer> {
  const { collection } = parts;
  const body = toBody(collection, readFields(input));
  const [record, headers] = await write(parts, caller, async (writing) => {
    const existing = await writing.transaction.find(collection.name, id);
    if (existing !== null) makeRoom(existing, parts, caller, writing);
    const added = existing?.owner === caller.id ? 0 : 1;
    return [await insert(id, body, added, parts, caller, writing), writing.headers];
  });
  return created(record, headers, parts, caller);
}

/** What has expired gives way; what is there stays, and who must not know of it is not told. */
function makeRoom(
  existing: StoredRecord,
  { collection }: CollectionWriteParts,
  caller: Caller,
  { transaction, now }: Writing,
): void {
  if (isExpired(collection, existing, now)) {
    void transaction.remove(collection.name, existing.id);
    // The new one counts instead of an own one.
    if (existing.owner !== caller.id) void transaction.releaseRecord(existing.owner, collection.name);
    return;
  }
  if (!caller.sees(existing)) throw new Refusal('not_found');
  throw new Refusal('precondition_failed', {
    members: { current: present(collection, existing, caller) },
    headers: { etag: etagOf(existing) },
  });
}

async function insert(
  id: string,
  body: string,
  addedRecords: number,
  { collection, newRevision }: CollectionWriteParts,
  caller: Caller,
  writing: Writing,
): Promise<StoredRecord> {
  const { now, transaction } = writing;
  await writing.charge(addedRecords);
  const record: StoredRecord = {
    collection: collection.name,
    id,
    owner: caller.id,
    state: collection.machine?.initial ?? null,
    revision: newRevision(),
    createdAt: now,
    updatedAt: now,
    body,
  };
  // Taken by somebody else since we looked: the same as if it had been there all along.
  if (!(await transaction.insert(record))) throw new Refusal('not_found');
  return record;
}

function idempotencyKey(input: WriteInput): string | null {
  const key = input.header('idempotency-key');
  if (key === undefined) return null;
  if (!keyForm.test(key)) throw new Refusal('header_invalid', { members: { header: 'Idempotency-Key' } });
  return key;
}

/** The record that the same request has made before; null when it is the first. */
async function madeWith(
  key: string,
  body: string,
  { collection, digest }: CollectionWriteParts,
  caller: Caller,
  { transaction, now }: Writing,
): Promise<StoredRecord | null> {
  const { name } = collection;
  const used = await transaction.findIdempotencyKey(caller.id, name, digest.of(caller.id, name, key), now);
  if (used === null) return null;
  if (!digest.isOf(used.requestDigest, body)) throw new Refusal('idempotency_key_reused');
  const record = await transaction.find(name, used.recordId);
  if (record === null || record.owner !== caller.id || isExpired(collection, record, now))
    throw new Refusal('idempotency_record_gone');
  return record;
}

function remember(
  key: string,
  { id, body }: StoredRecord,
  { collection, digest }: CollectionWriteParts,
  caller: Caller,
  { transaction, now }: Writing,
): void {
  const { name } = collection;
  const used = { requestDigest: digest.of(body), recordId: id };
  const keyDigest = digest.of(caller.id, name, key);
  void transaction.useIdempotencyKey(caller.id, name, keyDigest, used, now + idempotencyMs);
}

function created(
  record: StoredRecord,
  headers: Readonly<Record<string, string>>,
  { collection, path }: CollectionWriteParts,
  caller: Caller,
): Answer {
  return json(present(collection, record, caller), {
    status: 201,
    headers: { location: `${path}/${record.id}`, etag: etagOf(record), ...headers },
  });
}
