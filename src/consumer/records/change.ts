import { Refusal } from '../../base/errors.ts';
import { type Answer, answer, json } from '../../base/handler.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { Caller } from './caller.ts';
import { createUnder } from './create.ts';
import { type Fields, mergePatch, readFields, readPatch, toBody } from './fields.ts';
import { recordId } from './id.ts';
import type { CollectionWriteParts } from './parts.ts';
import { createsOnly, fits, ifMatch } from './preconditions.ts';
import { etagOf, fieldsOf, present } from './present.ts';
import type { WriteHandler, WriteInput } from './write-handler.ts';
import { type Writing, write } from './writing.ts';

/** PUT /<collection>/{id}: replaces the fields, or makes the record where `If-None-Match: *` says so. */
export function replaceRecord(parts: CollectionWriteParts): WriteHandler {
  const { collection } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'write');
    const id = recordId(input);
    if (createsOnly(input)) return createUnder(id, input, parts, caller);
    const body = toBody(collection, readFields(input));
    return edit(id, input, parts, caller, () => body);
  };
}

/** PATCH /<collection>/{id}: a merge patch (RFC 7396). */
export function patchRecord(parts: CollectionWriteParts): WriteHandler {
  const { collection } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'write');
    const patch = readPatch(input);
    return edit(recordId(input), input, parts, caller, (record) =>
      toBody(collection, mergePatch(fieldsOf(record), patch) as Fields),
    );
  };
}

/** DELETE /<collection>/{id} */
export function removeRecord(parts: CollectionWriteParts): WriteHandler {
  const { collection } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'write');
    const headers = await write(parts, caller, async (writing) => {
      const record = await findFor(recordId(input), input, parts, caller, writing);
      const isOwn = record.owner === caller.id;
      await writing.charge(isOwn ? -1 : 0);
      void writing.transaction.remove(collection.name, record.id);
      if (!isOwn) void writing.transaction.releaseRecord(record.owner, collection.name);
      return writing.headers;
    });
    return answer(null, '', { status: 204, headers });
  };
}

/** POST /<collection>/{id}/<action>: moves the record to another state. */
export function takeAction(parts: CollectionWriteParts, action: string): WriteHandler {
  const { collection } = parts;
  return async (input, principal) => {
    const caller = Caller.admit(collection, principal, 'write');
    return change(recordId(input), input, parts, caller, (record) => {
      const transition = collection.machine?.states.get(record.state ?? '')?.get(action);
      if (transition === undefined) throw withoutAction(record, parts, caller);
      if (!caller.mayTake(transition.by, record)) throw new Refusal('action_not_allowed');
      return { state: transition.to };
    });
  };
}

function withoutAction(record: StoredRecord, { collection }: CollectionWriteParts, caller: Caller): Refusal {
  const { machine } = collection;
  const allowed = machine === null ? [] : caller.actionsOn(machine, record);
  return new Refusal('invalid_transition', { members: { state: record.state, allowed } });
}

function edit(
  id: string,
  input: WriteInput,
  parts: CollectionWriteParts,
  caller: Caller,
  bodyFor: (record: StoredRecord) => string,
): Promise<Answer> {
  const { machine } = parts.collection;
  return change(id, input, parts, caller, (record) => {
    if (machine !== null && !machine.editable.has(record.state ?? ''))
      throw new Refusal('not_editable', { members: { state: record.state } });
    return { body: bodyFor(record) };
  });
}

/** Reads, decides and writes in one transaction, so that of two changes at once one sees the other. */
async function change(
  id: string,
  input: WriteInput,
  parts: CollectionWriteParts,
  caller: Caller,
  decide: (record: StoredRecord) => Partial<Pick<StoredRecord, 'state' | 'body'>>,
): Promise<Answer> {
  const { collection, newRevision } = parts;
  const [record, headers] = await write(parts, caller, async (writing) => {
    const before = await findFor(id, input, parts, caller, writing);
    const after = { ...before, ...decide(before), revision: newRevision(), updatedAt: writing.now };
    await writing.charge(0);
    void writing.transaction.update(after);
    return [after, writing.headers];
  });
  return json(present(collection, record, caller), { headers: { etag: etagOf(record), ...headers } });
}

/** The record, in the version that the request is for. */
async function findFor(
  id: string,
  input: WriteInput,
  { collection }: CollectionWriteParts,
  caller: Caller,
  writing: Writing,
): Promise<StoredRecord> {
  const record = await writing.find(id);
  const tags = ifMatch(input);
  if (tags === null && collection.concurrency === 'required') throw new Refusal('precondition_required');
  if (tags === null || fits(tags, etagOf(record))) return record;
  throw new Refusal('precondition_failed', {
    members: { current: present(collection, record, caller) },
    headers: { etag: etagOf(record) },
  });
}
