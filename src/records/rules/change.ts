import { Refusal } from '../../base/errors.ts';
import { eventOfChange, eventOfRemoval } from '../../events/catalogue.ts';
import type { StoredRecord } from '../../storage/port.ts';
import { fits, type Tags } from '../preconditions.ts';
import { etagOf, isExpired } from '../present.ts';
import type { Effects } from './batch-state.ts';
import { charged, type Decided, type Of, preconditionFailed, type Writing } from './every-write.ts';

/** PUT and PATCH /<collection>/{id} */
export function decideEdit(
  change: Of<'replace' | 'patch'>,
  writing: Writing,
  bodyFor: (record: StoredRecord) => string,
): Decided {
  const { machine } = writing.collection;
  const record = found(change, writing);
  if (machine !== null && !machine.editable.has(record.state ?? ''))
    throw new Refusal('not_editable', { members: { state: record.state } });
  return changed({ ...record, body: bodyFor(record), revision: change.revision }, 'changed', writing);
}

/** POST /<collection>/{id}/<action> */
export function decideAction(change: Of<'act'>, writing: Writing): Decided {
  const { access, collection } = writing;
  const record = found(change, writing);
  const transition = collection.machine?.states.get(record.state ?? '')?.get(change.action);
  if (transition === undefined) {
    const allowed = collection.machine === null ? [] : access.actionsOn(collection.machine, record);
    throw new Refusal('invalid_transition', { members: { state: record.state, allowed } });
  }
  if (!access.mayTake(transition.by, record)) throw new Refusal('action_not_allowed');
  const taken = { action: change.action, from: record.state ?? '' };
  return changed({ ...record, state: transition.to, revision: change.revision }, taken, writing);
}

/** DELETE /<collection>/{id} */
export function decideRemove(change: Of<'remove'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const record = found(change, writing);
  const isOwn = record.owner === access.id;
  const { effects, budget } = charged(isOwn ? -1 : 0, writing);
  const { id, owner } = record;
  const released: Effects = isOwn ? {} : { released: { owner, collection: collection.name } };
  const removed = { collection: collection.name, id };
  return {
    effects: [
      ...effects,
      { ...released, removed, event: eventOfRemoval(collection, 'deleted', record, now) },
    ],
    result: { kind: 'removed', record, budget },
  };
}

function changed(record: StoredRecord, kind: Parameters<typeof eventOfChange>[1], writing: Writing): Decided {
  const { collection, now } = writing;
  const { effects, budget } = charged(0, writing);
  const after = { ...record, updatedAt: now };
  return {
    effects: [...effects, { put: after, event: eventOfChange(collection, kind, after, now) }],
    result: { kind: 'changed', record: after, budget },
  };
}

/** The record in the expected version; 404 for a record that the caller must not know of. */
function found({ id, expected }: { id: string; expected: Tags | null }, writing: Writing): StoredRecord {
  const { access, collection, now } = writing;
  const record = writing.find(id);
  if (record === null || isExpired(collection, record, now) || !access.sees(record))
    throw new Refusal('not_found');
  if (!access.mayChange(record)) throw new Refusal('not_owner');
  if (expected === null && collection.concurrency === 'required') throw new Refusal('precondition_required');
  if (expected === null || fits(expected, etagOf(record))) return record;
  throw preconditionFailed(record);
}
