import { Refusal } from '../../base/errors.ts';
import { isServiceId } from '../../base/random.ts';
import { ownerByParent } from '../../collections/lineage.ts';
import { eventOfChange } from '../../events/catalogue.ts';
import type { OwnerInCollection, StoredIdempotencyKey, StoredRecord } from '../../storage/port.ts';
import type { CallerAccess } from '../caller-access.ts';
import { isExpired } from '../present.ts';
import type { BatchState } from './batch-state.ts';
import {
  type Asking,
  audienceOf,
  charged,
  contextFor,
  contextOf,
  contextOfNew,
  type Decided,
  entryOf,
  preconditionFailed,
  type Writing,
} from './every-write.ts';
import { type IdempotencyKey, newRecord, type Of } from './operation.ts';
import { checkUnique, parentUnknown, stateUnder } from './parents.ts';

export const idempotencyMs = 24 * 3_600_000;

/** The key, and the record that it leads to. */
export function askKey(asking: Asking<Of<'create'>>): void {
  const { change, caller, collection, state } = asking;
  if (change.key === null) return;
  const { keyDigest } = change.key;
  const used = state.idempotencyKey({ owner: caller.id, collection: collection.name, keyDigest });
  const record = used && state.record(collection.name, used.recordIds);
  if (record !== null) contextOf(record, caller.id, asking);
}

/** POST /<collection> */
export function decideCreate(change: Of<'create'>, writing: Writing): Decided {
  const { access, collection, state, now } = writing;
  const { key } = change;
  const owned = { owner: access.id, collection: collection.name };
  const used = usedKey(key, owned, now, state);
  if (used !== null) {
    const record = state.record(collection.name, used.recordIds);
    // A record that belongs to the owner of its parent was created by this caller: the key is the caller's.
    const isOwn = record?.owner === access.id || collection.parent?.ownedBy === 'parent';
    if (record === null || !isOwn || isExpired(collection, record, now))
      throw new Refusal('idempotency_record_gone');
    // Some callers may create records that they cannot read. They get the record again while it is unchanged and its parent is readable.
    const context = contextFor(record, writing);
    const isAsCreated = record.updatedAt === record.createdAt && access.rolesUnder(context.parent) !== null;
    if (!isAsCreated && !access.sees(record, context)) throw new Refusal('idempotency_record_gone');
    return { effects: [], result: { kind: 'repeated', record, budget: null } };
  }
  const made = insert(change, writing);
  if (key === null) return made;
  const remembered = { ...owned, ...key, recordIds: change.id, expiresAt: now + idempotencyMs };
  return { ...made, effects: [...made.effects, { idempotencyKey: remembered }] };
}

/** The result of an earlier request with the same key; null if there was none. */
export function usedKey(
  key: IdempotencyKey | null,
  owned: OwnerInCollection,
  now: number,
  state: BatchState,
): StoredIdempotencyKey | null {
  const used = key === null ? null : state.idempotencyKey({ ...owned, keyDigest: key.keyDigest });
  if (key === null || used === null || used.expiresAt <= now) return null;
  if (!isSameRequest(used.requestDigest, key.requestDigest)) throw new Refusal('idempotency_key_reused');
  return used;
}

/** Keyed digests: the comparison need not be constant-time. */
function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

export function askUsedId({ change: { collection, id }, state, names }: Asking<Of<'create_under'>>): void {
  state.isUsed(names.usedId(collection, id));
}

/** PUT with `If-None-Match: *`. A used id, or one of the service's own form, gets 404: callers learn nothing of other records. */
export function decideCreateUnder(change: Of<'create_under'>, writing: Writing): Decided {
  const { access, collection, state, names, now } = writing;
  const existing = state.record(collection.name, change.id);
  const isThere = existing !== null && !isExpired(collection, existing, now);
  if (isThere && access.sees(existing, contextFor(existing, writing)))
    throw preconditionFailed(existing, writing);
  const idDigest = names.usedId(collection.name, change.id);
  if (existing !== null || isServiceId(change.id) || state.isUsed(idDigest)) throw new Refusal('not_found');
  const made = insert(change, writing);
  return { ...made, effects: [...made.effects, { usedId: idDigest }] };
}

function insert(change: Of<'create' | 'create_under'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const made = newRecord(change, collection, access.id, now);
  const { parent } = contextOfNew(made, access.id, writing);
  const roles = access.rolesUnder(parent);
  if (roles === null) throw parentUnknown(collection);
  if (access.createsBy(roles) === null) throw new Refusal('role_required');
  const parentOwner = ownerByParent(writing.lineage, parent);
  const record: StoredRecord = {
    ...made,
    owner: parentOwner ?? made.owner,
    state: parent ? stateUnder(parent, made.state, writing) : made.state,
  };
  checkUnique(null, record, writing);
  const { effects, budget } = charged(parentOwner === null ? 1 : 0, writing);
  const topics = audienceOf(record, { after: record.state }, writing, [], true);
  const event = eventOfChange(collection, 'created', record, now, topics);
  const by = { action: 'create', from: null, role: makerOf(record, roles, access) };
  return {
    effects: [...effects, { put: record, ...entryOf(record, by, writing), event }],
    result: { kind: 'created', record, budget },
  };
}

/** The role by which a record was created. If everyone may, it is the role of the caller in the record. */
function makerOf({ owner }: StoredRecord, roles: readonly string[], access: CallerAccess): string {
  const role = access.createsBy(roles) ?? 'everyone';
  if (role !== 'everyone') return role;
  if (access.caller.isMachine) return 'client';
  return owner === access.id ? 'owner' : role;
}
