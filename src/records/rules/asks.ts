import type { BatchKeys, Loaded } from '../../storage/port.ts';
import { after } from './after.ts';
import { BatchState } from './batch-state.ts';
import { askRecord } from './change.ts';
import { askKey, askUsedId } from './create.ts';
import { askFill, askProof, type WriteRules } from './decide.ts';
import {
  type Ask,
  type Asking,
  type AskOfAny,
  askCaller,
  askNewcomers,
  askSpentBudgets,
  askUsage,
} from './every-write.ts';
import {
  askAcceptance,
  askAlias,
  askCode,
  askCounts,
  askInvitation,
  askMember,
  codeFor,
} from './invitations.ts';
import { LoadedRows } from './loaded-rows.ts';
import { askGranted } from './members.ts';
import {
  type Acceptance,
  type Change,
  type Fill,
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
  askParent,
  askPlaces,
  askPromoted,
  askUnique,
  askUniqueOfNew,
} from './parents.ts';
import { askBatchKey } from './parts.ts';

/** What the rules of each kind of change read. */
export type Asks = { readonly [Kind in RecordChange['kind']]: readonly Ask<Of<Kind>>[] } & {
  /** Alone in their round. */
  readonly first: { readonly [Kind in Change['kind']]?: readonly AskOfAny[] };
  readonly any: readonly AskOfAny[];
  readonly batch: readonly AskOfAny[];
  readonly accept: readonly Ask<Acceptance>[];
  readonly fill: readonly Ask<Fill>[];
};

const ofEveryWrite = [askUsage, askNewcomers] as const;
const ofNew = [...ofEveryWrite, askParent, askPlaces, askUniqueOfNew] as const;
const ofExisting = [...ofEveryWrite, askRecord] as const;

export const allAsks: Asks = {
  first: { accept: [askCode], change_role: [askAlias], remove_member: [askAlias] },
  any: [askProof, askCaller, askSpentBudgets],
  batch: [askBatchKey],
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
  fill: [askFill],
};

type AskingRules = WriteRules & { readonly asks: Asks };

/** What has to be loaded, given what was loaded so far; null: nothing. */
export function askAll(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: AskingRules,
): BatchKeys | null {
  const rows = new LoadedRows(loaded, { isAsking: true });
  let state = new BatchState(rows, rules);
  const isFurther = loaded.asked.usage !== undefined;
  for (const operation of operations) {
    const { any, batch } = rules.asks;
    for (const ask of any) ask(operation, state);
    if (operation.change.kind === 'batch') for (const ask of batch) ask(operation, state);
    const parts = partsOf(operation);
    for (const part of parts) {
      if (!(isFurther && asksAtOnce(part))) askOne(part, state, rules);
      // The other parts see what this one changes.
      if (parts.length > 1) applyPart(part, state, rules);
    }
    if (parts.length > 1) state = new BatchState(rows, rules);
  }
  return rows.missing;
}

/** Nothing that is loaded leads to more rows. */
function asksAtOnce({ change }: Operation): boolean {
  return change.kind === 'create' && change.parentId === null && change.key === null;
}

/** A first look at what leads to people: they are locked before records. Null: no operation needs one. */
export function lookFirst(
  operations: readonly Operation[],
  loaded: Loaded,
  rules: AskingRules,
): BatchKeys | null {
  const rows = new LoadedRows(loaded, { isAsking: true });
  const state = new BatchState(rows, rules);
  for (const operation of operations)
    for (const ask of rules.asks.first[operation.change.kind] ?? []) ask(operation, state);
  return rows.missing;
}

function askOne({ caller, now, change }: Operation, state: BatchState, rules: AskingRules): void {
  const { lineages, names, newcomersPerHour, asks } = rules;
  const lineage = lineages.get(collectionOf(change, state, now));
  if (lineage === undefined) return;
  const [collection] = lineage;
  const asking: Asking = { collection, lineage, state, now, names, caller, change, newcomersPerHour };
  for (const ask of asks[change.kind as RecordChange['kind']] as readonly Ask[]) ask(asking);
}

/** The empty text for a change without a collection, and for a code that leads to none. */
function collectionOf(change: Change, state: BatchState, now: number): string {
  if (change.kind === 'fill') return change.child;
  if (change.kind === 'accept') return codeFor(change, state, now)?.collection ?? '';
  return isOfRecord(change) ? change.collection : '';
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
