import type { UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Lineage } from '../../collections/lineage.ts';
import type { Consumer, Decision, Loaded, Outcome, RecordMember, Usage } from '../../storage/port.ts';
import { CallerAccess } from '../caller-access.ts';
import type { PeopleNames } from '../people-names.ts';
import { BatchState, type Effects, type StateRules } from './batch-state.ts';
import { asOfNow } from './budgets.ts';
import { decideAction, decideEdit, decideRemove } from './change.ts';
import { decideCreate, decideCreateUnder } from './create.ts';
import { type Asking, contextOf, type Decided, type Writing } from './every-write.ts';
import {
  decideAcceptance,
  decideChangeRole,
  decideEndInvitation,
  decideInvite,
  decideRemoveMember,
  invitationFor,
} from './invitations.ts';
import { LoadedRows, NotAsked } from './loaded-rows.ts';
import type { Done, Fill, Of, Operation, RecordChange, WriteResult } from './operation.ts';
import { askFilled, filled } from './parents.ts';
import { decideParts } from './parts.ts';

/** Maximum number of records that one `fill` moves up. */
const maxFilled = 50;

export interface WriteRules extends StateRules {
  readonly lineages: ReadonlyMap<string, Lineage>;
  /** Past this many new users per hour, new users can only read; 0: no limit. */
  readonly newcomersPerHour: number;
  readonly names: PeopleNames;
}

/** Decides a batch: each operation sees the changes of those before it. */
export function decideAll(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules,
): Exclude<Decision, { readonly missing: unknown }> {
  let state = new BatchState(new LoadedRows(loaded, { isAsking: false }), rules);
  const decideOne = (operation: Operation): Done => {
    const { effects, consumer, result } = decide(operation, state, rules);
    for (const effect of effects) state.apply(effect);
    return { consumer, result: result === undefined ? null : withContext(result, operation, state, rules) };
  };
  const refused = (error: unknown): Outcome => {
    // Not a refusal: the batch is decided again with the rows.
    if (error instanceof NotAsked) throw error;
    return { error };
  };
  const outcomes = operations.map((operation): Outcome => {
    const { caller, now, proof, change } = operation;
    try {
      if (proof !== null) checkProof(proof, state);
      if (change.kind !== 'batch') return { done: decideOne(operation) };
    } catch (error) {
      return refused(error);
    }
    const { mark } = state;
    try {
      const batch = decideParts(change, operation, state, decideOne);
      return { done: { consumer: consumerFor(caller, now, state), result: null, batch } satisfies Done };
    } catch (error) {
      state = state.backTo(mark);
      return refused(error);
    }
  });
  return { changes: state.changes(), outcomes };
}

interface DecidedOne extends Partial<Decided> {
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
  const [collection] = lineage;
  const context = contextOf(record, caller.id, { collection, lineage, state, now, names: rules.names });
  const members = context.members.map(({ role, member }): RecordMember => ({ role, member }));
  return { ...result, context: { ...context, members } };
}

/** Decides one write. A refusal changes nothing. */
function decide({ caller: who, now, change }: Operation, state: BatchState, rules: WriteRules): DecidedOne {
  if (change.kind === 'fill')
    return { effects: fill(change, now, state, rules), consumer: newConsumer(who, now) };
  if (change.kind === 'refused' || change.kind === 'batch')
    return { effects: [], consumer: newConsumer(who, now) };
  const consumer = consumerFor(who, now, state);
  const registration: Effects[] = state.consumer(who.id) === null ? [{ newConsumer: consumer }] : [];
  if (change.kind === 'register') return { effects: registration, consumer };
  const invitation = change.kind === 'accept' ? invitationFor(change, state, now) : null;
  const named = change.kind === 'accept' ? (invitation?.collection ?? '') : change.collection;
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
    newcomersPerHour: rules.newcomersPerHour,
    now,
    state,
    names: rules.names,
  };
  const { effects, result } =
    change.kind === 'accept' && invitation !== null
      ? decideAcceptance(change, invitation, writing)
      : decideChange(change as RecordChange, writing);
  return { effects: [...registration, ...effects], consumer, result };
}

function consumerFor(caller: Operation['caller'], now: number, state: BatchState): Consumer {
  return state.consumer(caller.id) ?? newConsumer(caller, now);
}

function newConsumer({ id, kind }: Operation['caller'], now: number): Consumer {
  return { id, kind, state: 'active', registeredAt: now };
}

export function askFill(asking: Asking<Fill>): void {
  const { parent } = asking.change;
  asking.state.record(parent.collection, parent.id);
  askFilled(parent, asking);
}

/** Places that an erasure, an expiry or a higher limit has freed. */
function fill(
  { child, parent, revision }: Fill,
  now: number,
  state: BatchState,
  rules: WriteRules,
): readonly Effects[] {
  const lineage = rules.lineages.get(child);
  const record = lineage === undefined ? null : state.record(parent.collection, parent.id);
  if (lineage === undefined || record === null) return [];
  const place = { collection: lineage[0], lineage, state, now, names: rules.names };
  return filled(record, maxFilled, { revision, freed: 0, left: null }, place);
}

export function askProof({ proof }: Operation, state: BatchState): void {
  if (proof !== null) state.isUsed(proof.digest);
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

const deciders: {
  readonly [Kind in RecordChange['kind']]: (change: Of<Kind>, writing: Writing) => Decided;
} = {
  create: decideCreate,
  create_under: decideCreateUnder,
  replace: decideEdit,
  patch: decideEdit,
  act: decideAction,
  remove: decideRemove,
  invite: decideInvite,
  end_invitation: decideEndInvitation,
  change_role: decideChangeRole,
  remove_member: decideRemoveMember,
};

function decideChange(change: RecordChange, writing: Writing): Decided {
  return (deciders[change.kind] as (change: RecordChange, writing: Writing) => Decided)(change, writing);
}
