import { isDeepStrictEqual } from 'node:util';
import { type ErrorCode, Refusal } from '../../base/errors.ts';
import type { Collection, FieldError, Transition } from '../../collections/collection.ts';
import { actionFields, may, mayEver, roleFor, type Verb } from '../../collections/roles.ts';
import { eventOfChange, eventOfRemoval } from '../../events/catalogue.ts';
import type { RecordContext, RecordMember, StoredRecord } from '../../storage/port.ts';
import { checkBody, type Fields } from '../fields.ts';
import { fits, type Tags } from '../preconditions.ts';
import { etagOf, fieldsOf, isExpired } from '../present.ts';
import { after, transitionOf } from './after.ts';
import type { Effects } from './batch-state.ts';
import {
  type Asking,
  askAudience,
  audienceOf,
  charged,
  contextFor,
  contextOf,
  type Decided,
  entryOf,
  preconditionFailed,
  type Writing,
} from './every-write.ts';
import { granted, personFor, revoked } from './members.ts';
import type { Of, RecordChange } from './operation.ts';
import {
  checkAccepts,
  checkCapacity,
  checkParentField,
  checkUnique,
  childrenAfter,
  promoted,
} from './parents.ts';

/** PUT and PATCH /<collection>/{id} */
export function decideEdit(change: Of<'replace' | 'patch'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const { record, context } = found(change, writing, 'update');
  const edited = after(change, record, collection, now);
  if (edited.fields !== null) checkBody(collection, edited.record.body, edited.fields);
  checkActionFields(collection, record, edited.record);
  checkParentField(collection, record, edited.record);
  checkUnique(record, edited.record, writing);
  const { state } = record;
  const roles = collection.history ? access.rolesOn(record, context) : [];
  const entry = { action: 'update', from: state, role: roleFor(collection, 'update', roles, state) };
  return changed(record, edited.record, context, 'changed', entry, writing);
}

/** Fields that only actions set stay unchanged. */
function checkActionFields(collection: Collection, record: StoredRecord, edited: StoredRecord): void {
  const fields = actionFields(collection);
  if (fields.size === 0) return;
  const [before, now] = [fieldsOf(record), fieldsOf(edited)];
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
  const { access, collection, now } = writing;
  const { action, input = {} } = change;
  const { record, context } = found(change, writing, { action });
  const roles = access.rolesOn(record, context);
  const transition = transitionOf(change, record, collection);
  const refused = (code: ErrorCode) => {
    const allowed = access.actionsOn(record, context, now);
    return new Refusal(code, { members: { state: record.state, allowed } });
  };
  if (transition === undefined) throw refused('invalid_transition');
  const by = transition.by.find((role) => roles.includes(role));
  if (by === undefined || !may(collection, { action }, roles, record.state))
    throw refused('action_not_allowed');
  checkInput(transition, input);
  const { record: acted, fields } = after(change, record, collection, now);
  if (fields !== null) checkBody(collection, acted.body, fields);
  if (transition.whileParentAccepts) checkAccepts(context.parent, writing);
  checkCapacity(record, transition.to, context.parent, writing);
  checkUnique(record, acted, writing);
  const person = personFor(transition, change.chosen, record, context, writing);
  const taken = { action, from: record.state ?? '', ...(collection.isShared ? { by } : {}) };
  const joining = granted(transition, person, acted, context, writing);
  const leaving = revoked(transition, person, acted, writing);
  const rows = joining.flatMap(({ joined }) => joined ?? []);
  const entry = { action, from: record.state, role: by };
  const { effects, result } = changed(record, acted, context, taken, entry, writing, rows);
  // Callers who join or leave get the event of the action, too.
  return { effects: [...joining, ...effects, ...leaving], result };
}

function checkInput({ sets }: Transition, input: Fields): void {
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
}

/** DELETE /<collection>/{id} */
export function decideRemove(change: Of<'remove'>, writing: Writing): Decided {
  const { access, collection, now } = writing;
  const { record, context } = found(change, writing, 'delete');
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
      ...promoted(record, null, context.parent, change.revision, writing),
    ],
    result: { kind: 'removed', record, budget },
  };
}

function changed(
  before: StoredRecord,
  record: StoredRecord,
  { parent }: RecordContext,
  kind: Parameters<typeof eventOfChange>[1],
  entry: Parameters<typeof entryOf>[1],
  writing: Writing,
  joining: readonly RecordMember[] = [],
): Decided {
  const { collection, now } = writing;
  const { effects, budget } = charged(0, writing);
  const topics = audienceOf(record, { before: before.state, after: record.state }, writing, joining);
  const event = eventOfChange(collection, kind, record, now, topics);
  return {
    effects: [
      ...effects,
      { put: record, ...entryOf(record, entry, writing), event },
      ...promoted(before, record, parent, record.revision, writing),
    ],
    result: { kind: 'changed', record, budget },
  };
}

/** The record with its context, for the check and for the audience of an event. */
export function askRecord(asking: Asking<Exclude<RecordChange, Of<'create'>>>): void {
  const { change, caller, collection, state } = asking;
  // Its parent is known only once it is loaded.
  const record = state.record(collection.name, change.id) ?? { ...change, parentId: null };
  contextOf(record, caller.id, asking);
  askAudience(record, asking);
}

/** The record in the expected version, with its context; 404 for a record that the caller may not see. */
export function found(
  { id, expected }: { id: string; expected: Tags | null },
  writing: Writing,
  verb: Verb | null,
): { readonly record: StoredRecord; readonly context: RecordContext } {
  const { access, collection, now, state } = writing;
  const record = state.record(collection.name, id);
  if (record === null || isExpired(collection, record, now)) throw new Refusal('not_found');
  const context = contextFor(record, writing);
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
  return { record, context };
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
