import { Refusal } from '../../base/errors.ts';
import type { Answer, BearerHandler, Input } from '../../base/handler.ts';
import { createRecordId, createRevision } from '../../base/random.ts';
import { CallerAccess } from './caller-access.ts';
import { readFields, readPatch, toBody } from './fields.ts';
import { recordId } from './id.ts';
import type { IdempotencyKey, RecordChange } from './operation.ts';
import type { CollectionParts } from './parts.ts';
import { createsOnly, ifMatch } from './preconditions.ts';

/**
 * From a request to an operation: whatever can be said of it without the database is said here (decide.ts has the rest),
 * and then it waits in the queue.
 */

/** POST /<collection> */
export function createRecord(parts: CollectionParts): BearerHandler {
  const { collection, clock } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(parts.collection, caller, 'write');
    const body = toBody(collection, readFields(input));
    const key = idempotencyKey(input, body, parts, access);
    const id = createRecordId(clock.now());
    return submit(parts, access, input, { ...named(parts, id), kind: 'create', body, key });
  };
}

/** PUT /<collection>/{id}: replaces the fields, or makes the record where `If-None-Match: *` says so. */
export function replaceRecord(parts: CollectionParts): BearerHandler {
  const { collection } = parts;
  return async (input, caller) => {
    const access = CallerAccess.admit(parts.collection, caller, 'write');
    const record = named(parts, recordId(input));
    const isNew = createsOnly(input);
    const body = toBody(collection, readFields(input));
    if (isNew) return submit(parts, access, input, { ...record, kind: 'create_under', body });
    return submit(parts, access, input, { ...record, kind: 'replace', body, expected: ifMatch(input) });
  };
}

/** PATCH /<collection>/{id}: a merge patch (RFC 7396). */
export function patchRecord(parts: CollectionParts): BearerHandler {
  return async (input, caller) => {
    const access = CallerAccess.admit(parts.collection, caller, 'write');
    const patch = readPatch(input);
    const record = named(parts, recordId(input));
    return submit(parts, access, input, { ...record, kind: 'patch', patch, expected: ifMatch(input) });
  };
}

/** DELETE /<collection>/{id} */
export function removeRecord(parts: CollectionParts): BearerHandler {
  return async (input, caller) => {
    const access = CallerAccess.admit(parts.collection, caller, 'write');
    const record = named(parts, recordId(input));
    return submit(parts, access, input, { ...record, kind: 'remove', expected: ifMatch(input) });
  };
}

/** POST /<collection>/{id}/<action>: moves the record to another state. */
export function takeAction(parts: CollectionParts, action: string): BearerHandler {
  return async (input, caller) => {
    const access = CallerAccess.admit(parts.collection, caller, 'write');
    const record = named(parts, recordId(input));
    return submit(parts, access, input, { ...record, kind: 'act', action, expected: ifMatch(input) });
  };
}

function named({ collection }: CollectionParts, id: string) {
  return { collection: collection.name, id, revision: createRevision() };
}

async function submit(
  { writes, clock }: CollectionParts,
  { id, kind, isMachine }: CallerAccess,
  input: Input,
  change: RecordChange,
): Promise<Answer> {
  const caller = { id, kind, isMachine };
  const bytes = input.body?.byteLength ?? 0;
  const operation = { caller, now: clock.now(), change };
  const done = await writes.submit(operation, bytes, () => input.hasHungUp(), input.waitedMs);
  return done.answer as Answer;
}

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

function idempotencyKey(
  input: Input,
  body: string,
  { collection, digest }: CollectionParts,
  { id }: CallerAccess,
): IdempotencyKey | null {
  const key = input.header('idempotency-key');
  if (key === undefined) return null;
  if (!keyForm.test(key)) throw new Refusal('header_invalid', { members: { header: 'Idempotency-Key' } });
  return { keyDigest: digest.of(id, collection.name, key), requestDigest: digest.of(body) };
}
