import { isDeepStrictEqual } from 'node:util';
import { type ErrorCode, Refusal } from '../../base/errors.ts';
import type { Collection, FieldError, Transition } from '../../collections/collection.ts';
import { actionFields, may, mayEver, roleFor, type Verb } from '../../collections/roles.ts';
import { eventOfChange, eventOfRemoval } from '../../events/catalogue.ts';
import type { RecordMember, StoredRecord } from '../../storage/port.ts';
import { type Fields, toBody } from '../fields.ts';
import { fits, type Tags } from '../preconditions.ts';
import { etagOf, fieldsOf, isExpired } from '../present.ts';
import type { Effects } from './batch-state.ts';
import {
  audienceOf,
  charged,
  type Decided,
  entryOf,
  type Of,
  preconditionFailed,
  type Writing,
} from './every-write.ts';
import {
  checkAccepts,
  checkCapacity,
  checkParentField,
  checkUnique,
  childrenAfter,
  promoted,
} from './family.ts';
import { granted, personFor, revoked } from './members.ts';

/** PUT and PATCH /<collection>/{id} */
export function decideEdit(
  change: Of<'replace' | 'patch'>,
  writing: Writing,
  bodyFor: (record: StoredRecord) => string,
): Decided {
  const { access, collection, contextOf } = writing;
  const record = found(change, writing, 'update');
  const after = { ...record, body: bodyFor(record), revision: change.revision };
  checkActionFields(collection, fieldsOf(record), after);
  checkParentField(collection, record, after);
  checkUnique(record, after, writing);
  const { state } = record;
  const roles = collection.history ? access.rolesOn(record, contextOf(record)) : [];
  const entry = { action: 'update', from: state, role: roleFor(collection, 'update', roles, state) };
  return changed(record, after, 'changed', entry, writing);
}

/** Fields that only actions set stay unchanged. */
function checkActionFields(collection: Collection, before: Fields, after: StoredRecord): void {
  const fields = actionFields(collection);
  if (fields.size === 0) return;
  const now = fieldsOf(after);
  const errors = [...fields].flatMap(([name, actions]) =>
    isDeepStrictEqual(before[name], now[name]) ? [] : [setByAction(name, actions)],
  );
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
}

export function setByAction(name: string, actions: readonly string[]): FieldError {
  const plural = actions.length === 1 ? 'action' : 'actions';
  return { pointer: `/${name}`, message: `can be set only by the ${plural} ${actions.join(', ')}` };
}

/** POST /<collection>/{id}/<action> */
export function decideAction(change: Of<'act'>, writing: Writing): Decided {
  const { access, collection, contextOf } = writing;
  const { action } = change;
  const record = found(change, writing, { action });
  const context = contextOf(record);
  const roles = access.rolesOn(record, context);
  const transition = collection.machine?.states.get(record.state ?? '')?.get(action);
  const refused = (code: ErrorCode) => {
    const allowed = access.actionsOn(record, context, writing.now);
    return new Refusal(code, { members: { state: record.state, allowed } });
  };
  if (transition === undefined) throw refused('invalid_transition');
  const by = transition.by.find((role) => roles.includes(role));
  if (by === undefined || !may(collection, { action }, roles, record.state))
    throw refused('action_not_allowed');
  const body = bodyAfter(transition, change.input ?? {}, record, collection);
  if (transition.whileParentAccepts) checkAccepts(context.parent, writing);
  checkCapacity(record, transition.to, context.parent, writing);
  const after = { ...record, body, state: transition.to, revision: change.revision };
  checkUnique(record, after, writing);
  const person = personFor(transition, change.chosen, record, writing);
  const taken = { action, from: record.state ?? '', ...(collection.isShared ? { by } : {}) };
  const joining = granted(transition, person, after, writing);
  const leaving = revoked(transition, person, after, writing);
  const rows = joining.flatMap(({ joined }) => joined ?? []);
  const entry = { action, from: record.state, role: by };
  const { effects, result } = changed(record, after, taken, entry, writing, rows);
  // Callers who join or leave get the event of the action, too.
  return { effects: [...joining, ...effects, ...leaving], result };
}

function bodyAfter(
  { sets, clears }: Transition,
  input: Fields,
  record: StoredRecord,
  collection: Collection,
): string {
  const names = sets.map(({ name }) => name);
  const errors = [
    ...Object.keys(input).flatMap((name) =>
      names.includes(name) ? [] : [{ pointer: `/${name}`, message: 'is not set by this action' }],
    ),
    ...sets.flatMap(({ name, isOptional }) =>
      isOptional || Object.hasOwn(input, name) ? [] : [{ pointer: `/${name}`, message: 'is required' }],
    ),
  ];
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
  if (sets.length + clears.length === 0) return record.body;
  const kept = Object.entries(fieldsOf(record)).filter(([name]) => !clears.includes(name));
  return toBody(collection, { ...Object.fromEntries(kept), ...input });
}

/** DELETE /<collection>/{id} */
export function decideRemove(change: Of<'remove'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const record = found(change, writing, 'delete');
  const { id, owner, state } = record;
  const work = childrenAfter(record, writing);
  // Records that belong to the owner of their parent count for no quota.
  const isCounted = collection.parent?.ownedBy !== 'parent';
  const isOwn = owner === access.id;
  const { effects, budget } = charged(isOwn && isCounted ? -1 : 0, writing);
  const released: Effects = isOwn || !isCounted ? {} : { released: { owner, collection: collection.name } };
  const removed = { collection: collection.name, id };
  const topics = audienceOf(record, { before: state }, writing);
  return {
    effects: [
      ...effects,
      ...work,
      { ...released, removed, event: eventOfRemoval(collection, 'deleted', record, now, topics) },
      ...promoted(record, null, change.revision, writing),
    ],
    result: { kind: 'removed', record, budget },
  };
}

function changed(
  before: StoredRecord,
  record: StoredRecord,
  kind: Parameters<typeof eventOfChange>[1],
  entry: Parameters<typeof entryOf>[1],
  writing: Writing,
  joining: readonly RecordMember[] = [],
): Decided {
  const { collection, now } = writing;
  const { effects, budget } = charged(0, writing);
  const after = { ...record, updatedAt: now };
  const topics = audienceOf(after, { before: before.state, after: after.state }, writing, joining);
  const event = eventOfChange(collection, kind, after, now, topics);
  return {
    effects: [
      ...effects,
      { put: after, ...entryOf(after, entry, writing), event },
      ...promoted(before, after, after.revision, writing),
    ],
    result: { kind: 'changed', record: after, budget },
  };
}

/** The record in the expected version; 404 for a record that the caller may not see. */
export function found(
  { id, expected }: { id: string; expected: Tags | null },
  writing: Writing,
  verb: Verb | null,
): StoredRecord {
  const { access, collection, now } = writing;
  const record = writing.find(id);
  if (record === null || isExpired(collection, record, now)) throw new Refusal('not_found');
  const context = writing.contextOf(record);
  if (!access.sees(record, context)) throw new Refusal('not_found');
  const roles = access.rolesOn(record, context);
  checkRole(collection, verb, roles);
  if (verb !== null && expected === null && collection.concurrency === 'required')
    throw new Refusal('precondition_required');
  if (expected !== null && !fits(expected, etagOf(record))) throw preconditionFailed(record, writing);
  if ((verb === 'update' || verb === 'delete') && !may(collection, verb, roles, record.state)) {
    const states = [...(collection.machine?.states.keys() ?? [])];
    const allowed = states.filter((state) => may(collection, verb, roles, state));
    throw new Refusal('not_editable', { members: { state: record.state, allowed } });
  }
  return record;
}

/** Refuses a caller who could not do this in any state. */
function checkRole({ access, isShared }: Collection, verb: Verb | null, roles: readonly string[]): void {
  const { update, delete: remove } = access;
  // In a collection of single owners an action has its own refusals, for callers who can change the record.
  const isAllowed = !isShared
    ? mayEver(update, roles) || mayEver(remove, roles) || roles.includes('client')
    : verb === null || typeof verb === 'object' || mayEver(access[verb as 'update' | 'delete'], roles);
  if (!isAllowed) throw new Refusal(isShared ? 'role_required' : 'not_owner');
}
