import type { Lineage } from '../../collections/lineage.ts';
import type { BatchKeys, Loaded } from '../../storage/port.ts';
import { after } from './after.ts';
import { BatchState } from './batch-state.ts';
import { askRecord } from './change.ts';
import { askKey, askUsedId } from './create.ts';
import type { WriteRules } from './decide.ts';
import { type Ask, type Asking, askNewcomers, askUsage } from './every-write.ts';
import { askAcceptance, askAlias, askCounts, askInvitation, askMember, codeFor } from './invitations.ts';
import { LoadedRows } from './loaded-rows.ts';
import { askGranted } from './members.ts';
import {
  type Acceptance,
  batchName,
  isOfRecord,
  newRecord,
  type Of,
  type Operation,
  partsOf,
  type RecordChange,
} from './operation.ts';
import {
  askCapacity,
  askChildren,
  askFilled,
  askParent,
  askPlaces,
  askPromoted,
  askUnique,
  askUniqueOfNew,
} from './parents.ts';

/** What the rules of each kind of change read. */
export type Asks = { readonly [Kind in RecordChange['kind']]: readonly Ask<Of<Kind>>[] } & {
  readonly accept: readonly Ask<Acceptance>[];
};

const ofEveryWrite = [askUsage, askNewcomers] as const;
const ofNew = [...ofEveryWrite, askParent, askPlaces, askUniqueOfNew] as const;
const ofExisting = [...ofEveryWrite, askRecord] as const;

export const allAsks: Asks = {
  create: [...ofNew, askKey],
  create_under: [...ofNew, askRecord, askUsedId],
  replace: [...ofExisting, askUnique],
  patch: [...ofExisting, askUnique],
  act: [...ofExisting, askUnique, askGranted, askCapacity, askPromoted],
  remove: [...ofExisting, askChildren, askPromoted],
  invite: ofExisting,
  end_invitation: [...ofExisting, askInvitation],
  change_role: [...ofExisting, askMember, askCounts],
  remove_member: [...ofExisting, askMember],
  accept: [...ofEveryWrite, askAcceptance],
};

/** What has to be loaded, given what was loaded so far; null: nothing. */
export function askAll(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules & { readonly asks: Asks },
): BatchKeys | null {
  const rows = new LoadedRows(loaded, { isAsking: true });
  let state = new BatchState(rows, rules);
  const isFurther = loaded.asked.usage !== undefined;
  for (const operation of operations) {
    const { caller, proof, change } = operation;
    if (proof !== null) state.isUsed(proof.digest);
    if (change.kind === 'batch' && change.key !== null)
      state.idempotencyKey({ owner: caller.id, collection: batchName, keyDigest: change.key.keyDigest });
    const parts = partsOf(operation);
    for (const part of parts) {
      askCaller(part, rows, rules);
      if (!(isFurther && asksAtOnce(part))) askOne(part, state, rules);
      // The other parts see what this one changes.
      if (parts.length > 1) applyPart(part, state, rules);
    }
    if (parts.length > 1) state = new BatchState(rows, rules);
  }
  return rows.missing;
}

const looks: ReadonlySet<string> = new Set(['accept', 'change_role', 'remove_member']);

/** Nothing that is loaded leads to more rows. */
function asksAtOnce({ change }: Operation): boolean {
  return change.kind === 'create' && change.parentId === null && change.key === null;
}

/** A first look at what leads to people: they are locked before records. Null: no operation needs one. */
export function lookFirst(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: WriteRules,
): BatchKeys | null {
  if (!operations.some(({ change }) => looks.has(change.kind))) return null;
  const rows = new LoadedRows(loaded, { isAsking: true });
  const state = new BatchState(rows, rules);
  for (const { change, now } of operations) {
    if (change.kind === 'accept') codeFor(change, state, now);
    if (change.kind === 'change_role' || change.kind === 'remove_member') askAlias({ change, state });
  }
  return rows.missing;
}

/** Of a caller that is not registered, the budgets that it had used before an erasure. */
function askCaller({ caller: { id }, change }: Operation, rows: LoadedRows, { formerOf }: WriteRules): void {
  if (change.kind === 'fill' || change.kind === 'refused') return;
  const isNew = rows.find('consumers', { id }).length === 0 && rows.isKnown('consumers', { id });
  if (isNew) rows.find('spentBudgets', { former: formerOf(id) });
}

function askOne(
  { caller, now, change }: Operation,
  state: BatchState,
  rules: WriteRules & { readonly asks: Asks },
): void {
  const { lineages, names, newcomersPerHour } = rules;
  const placeIn = (lineage: Lineage) => ({ collection: lineage[0], lineage, state, now, names });
  if (change.kind === 'fill') {
    const lineage = lineages.get(change.child);
    state.record(change.parent.collection, change.parent.id);
    if (lineage !== undefined) askFilled(change.parent, placeIn(lineage));
  }
  if (change.kind !== 'accept' && !isOfRecord(change)) return;
  const named = change.kind === 'accept' ? codeFor(change, state, now)?.collection : change.collection;
  const lineage = lineages.get(named ?? '');
  if (lineage === undefined) return;
  const asking: Asking = { ...placeIn(lineage), caller, change, newcomersPerHour };
  for (const ask of rules.asks[change.kind] as readonly Ask[]) ask(asking);
}

function applyPart({ caller, now, change }: Operation, state: BatchState, { collections }: WriteRules): void {
  const collection = isOfRecord(change) ? collections.get(change.collection) : undefined;
  if (!isOfRecord(change) || collection === undefined) return;
  if (change.kind === 'create' || change.kind === 'create_under') {
    state.apply({ put: newRecord(change, collection, caller.id, now) });
    return;
  }
  const before = state.record(change.collection, change.id);
  if (before === null) return;
  if (change.kind === 'remove') state.apply({ removed: change });
  else state.apply({ put: after(change, before, collection, now).record });
}
