import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import { type Lineage, lineageAbove } from '../../collections/lineage.ts';
import type {
  BatchChanges,
  Consumer,
  Loaded,
  Outcome,
  RecordContext,
  RecordMember,
  StoredInvitation,
  StoredRecord,
  Usage,
} from '../../storage/port.ts';
import { CallerAccess } from '../caller-access.ts';
import { type Fields, mergePatch, toBody } from '../fields.ts';
import { type PeopleNames, parentIdOf } from '../people-names.ts';
import { fieldsOf, isExpired } from '../present.ts';
import { BatchState, type Effects } from './batch-state.ts';
import { asOfNow } from './budgets.ts';
import { decideAction, decideEdit, decideRemove } from './change.ts';
import { decideCreate, decideCreateUnder } from './create.ts';
import type { Decided, Writing } from './every-write.ts';
import { filled } from './family.ts';
import {
  decideAcceptance,
  decideChangeRole,
  decideEndInvitation,
  decideInvite,
  decideRemoveMember,
} from './invitations.ts';
import type { Acceptance, Done, Operation, RecordChange, WriteResult } from './operation.ts';
import { decideParts } from './parts.ts';

/** Maximum number of records that one `fill` moves up. */
const mostFilled = 50;

export interface WriteRules {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly lineages: ReadonlyMap<string, Lineage>;
  /** The roles that members can have, by collection. */
  readonly memberRoles: Readonly<Record<string, readonly string[]>>;
  /** Past this many new users per hour, new users can only read; 0: no limit. */
  readonly newcomersPerHour: number;
  readonly formerOf: (id: string) => Uint8Array;
  readonly names: PeopleNames;
  readonly usedId: (collection: string, id: string) => Uint8Array;
}

/** Decides a batch: each operation sees the changes of those before it. */
export function decideAll(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules,
): { readonly changes: BatchChanges; readonly outcomes: readonly Outcome[] } {
  let state = new BatchState(loaded, rules.collections);
  const decideOne = (operation: Operation): Done => {
    const { effects, consumer, result } = decide(operation, state, rules);
    for (const effect of effects) state.apply(effect);
    return { consumer, result: result === undefined ? null : withContext(result, operation, state, rules) };
  };
  const outcomes = operations.map((operation): Outcome => {
    const { caller, now, proof, change } = operation;
    try {
      if (proof !== null) checkProof(proof, state);
      if (change.kind !== 'batch') return { done: decideOne(operation) };
    } catch (error) {
      return { error };
    }
    const { mark } = state;
    try {
      const batch = decideParts(change, operation, state, decideOne);
      return { done: { consumer: consumerFor(caller, now, state), result: null, batch } satisfies Done };
    } catch (error) {
      state = state.backTo(mark);
      return { error };
    }
  });
  return { changes: state.changes(), outcomes };
}

interface Decision extends Partial<Decided> {
  readonly effects: readonly Effects[];
  readonly consumer: Consumer;
}

/** Adds the members and the parent that the answer shows. */
function withContext(
  result: Decided['result'],
  { caller, now }: Operation,
  state: BatchState,
  rules: WriteRules,
): WriteResult {
  const { record } = result;
  const lineage = rules.lineages.get(record.collection);
  if (lineage === undefined) return { ...result, context: { members: [] } };
  const { roles } = lineage[0];
  const isShown = ({ role, member }: RecordMember) => member === caller.id || roles[role]?.kind === 'granted';
  const context = contextIn(state, lineage, record, now);
  const members = context.members.filter(isShown).map(({ role, member }) => ({ role, member }));
  return { ...result, context: { ...context, members } };
}

/** The members of a record, and its ancestors. */
function contextIn(state: BatchState, lineage: Lineage, record: StoredRecord, now: number): RecordContext {
  const [collection] = lineage;
  const upper = lineageAbove(lineage);
  const members = state.people.of(collection.name, record.id);
  if (upper === null) return { members };
  const [next] = upper;
  const above = state.record(next.name, parentIdOf(collection, record));
  if (above === null || isExpired(next, above, now)) return { members, parent: null };
  return { members, parent: { ...contextIn(state, upper, above, now), record: above } };
}

/** Decides one write. A refusal changes nothing. */
function decide({ caller: who, now, change }: Operation, state: BatchState, rules: WriteRules): Decision {
  const known = state.consumer(who.id);
  const consumer = consumerFor(who, now, state);
  const registration: Effects[] = known === null ? [{ newConsumer: consumer }] : [];
  if (change.kind === 'fill') return { effects: fill(change, now, state, rules), consumer };
  if (change.kind === 'register') return { effects: registration, consumer };
  if (change.kind === 'refused' || change.kind === 'batch') return { effects: [], consumer };
  const invitation = change.kind === 'accept' ? invitationFor(change, state) : null;
  const named = invitation?.collection ?? (change as RecordChange).collection;
  const lineage = rules.lineages.get(named);
  if (lineage === undefined) throw new Error(`There is no collection "${named}".`);
  const [collection] = lineage;
  const scopeRoles = change.kind === 'accept' ? change.admitted : who.scopeRoles;
  const writing: Writing = {
    access: new CallerAccess({ ...who, ...(scopeRoles === undefined ? {} : { scopeRoles }) }, lineage),
    collection,
    lineage,
    consumer,
    usage: settledUsage(collection, who, now, state),
    // A caller that this write registers counts, too.
    newcomers: state.newcomers + (known === null && who.kind === 'user' ? 1 : 0),
    newcomersPerHour: rules.newcomersPerHour,
    now,
    find: (id) => state.record(collection.name, id),
    membersOf: (id) => state.people.of(collection.name, id),
    contextOf: (record) => contextIn(state, lineage, record, now),
    people: state.people,
    family: state.family,
    names: rules.names,
  };
  const { effects, result } =
    change.kind === 'accept'
      ? decideAcceptance(change, invitation as StoredInvitation, writing)
      : decideChange(change, writing, state, rules);
  return { effects: [...registration, ...effects], consumer, result };
}

function consumerFor({ id, kind }: Operation['caller'], now: number, state: BatchState): Consumer {
  return state.consumer(id) ?? { id, kind, state: 'active', registeredAt: now };
}

/** Places that an erasure, an expiry or a higher limit has freed. */
function fill(
  { child, parent, revision }: Extract<Operation['change'], { kind: 'fill' }>,
  now: number,
  state: BatchState,
  rules: WriteRules,
): readonly Effects[] {
  const lineage = rules.lineages.get(child);
  const record = state.record(parent.collection, parent.id);
  if (lineage === undefined || record === null) return [];
  const [collection] = lineage;
  const contextOf = (of: StoredRecord) => contextIn(state, lineage, of, now);
  const writing = { collection, lineage, contextOf, family: state.family, names: rules.names, now };
  return filled(record, mostFilled, { revision, freed: 0, left: null }, writing);
}

/** Refuses a code that is unknown, used up, ended, of a suspended person, or of a collection that does not admit the caller. */
function invitationFor({ digest, admitted }: Acceptance, state: BatchState): StoredInvitation {
  const invitation = state.people.invitation(digest);
  const isOpen = invitation !== null && state.consumer(invitation.madeBy)?.state === 'active';
  if (!isOpen || !Object.hasOwn(admitted, invitation.collection)) throw new Refusal('invitation_invalid');
  return invitation;
}

/** The first rule. A refused write uses its proof, too: a copy could succeed later (RFC 9449 section 11.1). */
function checkProof(proof: UsedProof, state: BatchState): void {
  if (state.isUsed(proof.digest)) throw new Refusal('proof_replayed');
  state.apply({ proof });
}

/** Saves a window that `asOfNow` has moved, even if the write is refused. */
function settledUsage(
  { name, limits }: Collection,
  { id }: Operation['caller'],
  now: number,
  state: BatchState,
): Usage {
  const usage = state.usage(id, name);
  const settled = asOfNow(limits, usage, now);
  // An erased caller has no usage row.
  const isKnown = state.consumer(id) !== null;
  if (settled !== usage && isKnown) state.apply({ usage: { owner: id, collection: name, after: settled } });
  return settled;
}

function decideChange(
  change: RecordChange,
  writing: Writing,
  state: BatchState,
  { usedId }: WriteRules,
): Decided {
  switch (change.kind) {
    case 'create':
      return decideCreate(change, writing, state);
    case 'create_under':
      return decideCreateUnder(change, writing, state, usedId(change.collection, change.id));
    case 'replace':
      return decideEdit(change, writing, () => change.body);
    case 'patch':
      return decideEdit(change, writing, (record) =>
        toBody(writing.collection, mergePatch(fieldsOf(record), change.patch) as Fields),
      );
    case 'act':
      return decideAction(change, writing);
    case 'remove':
      return decideRemove(change, writing);
    case 'invite':
      return decideInvite(change, writing);
    case 'end_invitation':
      return decideEndInvitation(change, writing);
    case 'change_role':
      return decideChangeRole(change, writing);
    case 'remove_member':
      return decideRemoveMember(change, writing);
  }
}
