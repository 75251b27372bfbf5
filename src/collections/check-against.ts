import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { counted, grouped } from '../base/counted.ts';
import { durationText } from '../base/duration.ts';
import { OperatorError } from '../base/errors.ts';
import type { Begin } from '../base/progress.ts';
import { isJsonObject } from '../base/strict-json.ts';
import { brief } from '../base/yaml/mistakes.ts';
import type { DeclaredIndexes, RecordStore, StoredRecord } from '../storage/port.ts';
import type { Collection } from './collection.ts';
import { asDeclared, type Declaration, plainKeys, type StoredDeclarations } from './declaration.ts';
import { newcomerRateText, rateText } from './limits.ts';
import { parentLinksOf } from './lineage.ts';
import { normaliseFields } from './normalise.ts';
import { readableStates } from './roles.ts';
import { uniqueColumns, uniqueKey } from './unique.ts';
import { type Widening, wideningIn, wideningText } from './widening.ts';

interface CollectionVerdict {
  readonly collection: string;
  /** Breaking: a stored record does not fit, or its state or collection is gone. */
  readonly verdict: 'unchanged' | 'new' | 'compatible' | 'breaking';
  readonly changes: readonly string[];
  readonly total: number;
  readonly failing: number;
  /** New access of roles. It is reported, and does not prevent a start. */
  readonly wider: readonly Widening[];
}

interface Comparison {
  readonly stored: ReadonlyMap<string, Declaration>;
  readonly declared: readonly Collection[];
  readonly records: Pick<RecordStore, 'ofCollection' | 'counts'>;
  readonly begin?: Begin | undefined;
}

const pageSize = 500;

/** A verdict for each declared collection, and for each undeclared one that has records. */
export async function checkAgainst(comparison: Comparison): Promise<readonly CollectionVerdict[]> {
  const { stored, declared, records } = comparison;
  const totals = new Map<string, number>();
  const counts = await records.counts();
  for (const { collection, count } of counts) {
    totals.set(collection, (totals.get(collection) ?? 0) + count);
  }
  const verdicts: CollectionVerdict[] = [];
  for (const collection of declared) {
    const { name } = collection;
    const before = stored.get(name) ?? null;
    const countIn = (state: string | null) =>
      counts.find((one) => one.collection === name && one.state === state)?.count ?? 0;
    const wider = before === null ? [] : wideningIn(before, collection, countIn);
    verdicts.push({ ...(await judge(collection, before, totals.get(name) ?? 0, comparison)), wider });
  }
  const isDeclared = new Set(declared.map(({ name }) => name));
  for (const [collection, total] of totals) {
    if (isDeclared.has(collection) || total === 0) continue;
    const changes = ['declared no more'];
    verdicts.push({ collection, verdict: 'breaking', changes, total, failing: total, wider: [] });
  }
  return verdicts;
}

async function judge(
  collection: Collection,
  before: Declaration | null,
  total: number,
  comparison: Comparison,
): Promise<Omit<CollectionVerdict, 'wider'>> {
  const changes = before === null ? [] : describeChanges(before, collection);
  const isRead = total > 0 && (before === null || concernsRecords(before, collection));
  const failing = isRead ? await countFailing(collection, total, comparison) : 0;
  const harmless = before === null ? 'new' : changes.length === 0 ? 'unchanged' : 'compatible';
  return {
    collection: collection.name,
    verdict: failing > 0 ? 'breaking' : harmless,
    changes,
    total,
    failing,
  };
}

function concernsRecords(before: Declaration, after: Declaration): boolean {
  const parts = ({ schema, index, machine, unique }: Declaration) => [
    schema,
    index,
    unique,
    new Set(machine?.states.keys()),
  ];
  return !isDeepStrictEqual(parts(before), parts(after));
}

async function countFailing(
  collection: Collection,
  total: number,
  { records, begin }: Comparison,
): Promise<number> {
  let [failing, done] = [0, 0];
  begin?.(`Comparing ${collection.name} with its declaration`, () => ({ done, total, unit: 'record' }));
  const known = new Set<string>();
  const isSecond = (record: StoredRecord) =>
    collection.unique.some((_, rule) => {
      const key = uniqueKey(collection, rule, record);
      if (key === null || !known.has(`${rule} ${key}`)) {
        known.add(`${rule} ${key}`);
        return false;
      }
      return true;
    });
  let page: readonly StoredRecord[] = [];
  do {
    page = await records.ofCollection(collection.name, page.at(-1)?.id ?? '', pageSize);
    failing += page.filter((record) => !fits(collection, record) || isSecond(record)).length;
    done += page.length;
    // SQLite answers at once: without a pause /readyz could not say how far it is.
    await setImmediate();
  } while (page.length === pageSize);
  return failing;
}

/** True if the record could be written now as it is stored. */
function fits(collection: Collection, { state, body }: StoredRecord): boolean {
  const { machine, checkFields } = collection;
  const isStateKnown = machine === null ? state === null : state !== null && machine.states.has(state);
  if (!isStateKnown) return false;
  const fields = JSON.parse(body);
  // An indexed time in another form would not be found.
  return checkFields(fields).length === 0 && isDeepStrictEqual(normaliseFields(collection, fields), fields);
}

/** `bookings: breaking: seats maximum 8 -> 4, 37 of 10,412 records would fail`, and a line about wider access. */
export function sentenceOf(verdict: CollectionVerdict): string {
  return [fitText(verdict), ...widerLines(verdict)].join('\n');
}

export function widerLines({ collection, wider }: CollectionVerdict): readonly string[] {
  return wider.length === 0 ? [] : [`${collection}: wider: ${wider.map(wideningText).join(', ')}`];
}

function fitText({ collection, verdict, changes, total, failing }: CollectionVerdict): string {
  if (verdict !== 'breaking') {
    return `${collection}: ${verdict}${changes.length === 0 ? '' : ` (${changes.join(', ')})`}`;
  }
  const harm = `${grouped(failing)} of ${counted(total, 'record')} would fail`;
  return `${collection}: breaking: ${[...changes, harm].join(', ')}`;
}

interface Activation {
  readonly declared: readonly Collection[];
  readonly declarations: StoredDeclarations;
  readonly records: RecordStore;
  readonly begin?: Begin | undefined;
}

/** Activates the declarations. Refuses those that stored records do not fit. */
export async function activateDeclarations(activation: Activation): Promise<void> {
  const { declared, declarations, records, begin } = activation;
  const stored = await declarations.load();
  const files = (declarations: Iterable<Declaration>) =>
    [...declarations].map(({ name, file }) => [name, file]);
  // Most starts change nothing.
  const isSame = isDeepStrictEqual(files(stored.values()), files(declared));
  if (!isSame) refuseBreaking(await checkAgainst({ stored, declared, records, begin }));
  const links = parentLinksOf(declared);
  await records.prepare(declared.map(toIndexes), links, begin);
  if (isSame) return;
  // Records that are older than "max", "capacity" or "counts" are not in the tallies yet.
  await records.repairTallies(links);
  await declarations.save(declared);
}

/**
 * Another process has activated other parents: writes of this one would not be counted or deleted as declared there.
 * Null if they are the same.
 */
export async function outdatedFault(
  declarations: StoredDeclarations,
  declared: readonly Collection[],
): Promise<string | null> {
  const inForce = parentLinksOf([...(await declarations.load()).values()]);
  const isSame = isDeepStrictEqual(inForce, parentLinksOf(declared));
  return isSame
    ? null
    : 'Another process has started with different parents in its collections. Restart this process with the same declarations.';
}

/** Only the indexes that a query can use. */
function toIndexes(collection: Collection): DeclaredIndexes {
  const { name, index, roles, limits, parent } = collection;
  const scopeRoles = Object.keys(roles).filter((role) => roles[role]?.kind === 'scope');
  // Each kind of caller that lists records of others, with the states that it sees.
  // Records under others are listed under one of these, but for clients that reach all.
  const kinds =
    parent === null
      ? ['client', ...scopeRoles].map((role) => [role, 'everyone']).concat([['everyone']])
      : [['client']];
  const lists = kinds.map((kind) => readableStates(collection, kind));
  const sets = new Map(lists.map((states) => [JSON.stringify(states), states]));
  return {
    name,
    index,
    listedByOthers: sets.has('null'),
    listedInStates: [...sets.values()].filter((states) => states !== null && states.length > 0) as string[][],
    expires: limits.expireMs !== null,
    bytes: limits.bytes,
    hasParent: parent !== null,
    unique: collection.unique.map(({ fields, states }) => ({
      columns: uniqueColumns(collection, fields),
      states,
    })),
  };
}

function refuseBreaking(verdicts: readonly CollectionVerdict[]): void {
  const breaking = verdicts.filter(({ verdict }) => verdict === 'breaking');
  if (breaking.length === 0) return;
  throw new OperatorError(
    `The declarations do not fit the existing records:\n${breaking.map((verdict) => `  ${fitText(verdict)}`).join('\n')}\nChange the declarations, or start once with --allow-breaking-schemas: callers can then read such records, and change them only into ones that fit.`,
  );
}

/** Left out of the path of a change: `schema properties seats maximum` is `seats maximum`. */
const structure = ['schema', 'properties', 'limits', 'state machine'];

/** The differences between two declarations of a collection, a phrase each: `seats maximum 8 -> 4`. */
export function describeChanges(before: Declaration, after: Declaration): readonly string[] {
  return changesIn(readable(before), readable(after), []);
}

/** Rates and durations in the form in which they are declared. */
function readable(declaration: Declaration): object {
  const { title, description, schema, index, limits, machine, events, deprecated, parent, unique } =
    declaration;
  const { writes, newcomer, expireMs, ...sizes } = limits;
  const { access: who, initial, states, editable, ...shared } = asDeclared(declaration);
  return {
    ...{ title, description, schema, ...plainKeys(declaration.file), deprecated, parent, unique },
    access: who,
    ...shared,
    'state machine': machine === null ? null : { initial, states, editable },
    events: events && { ...events, only: events.only && [...events.only] },
    index: index.map(({ name, kind }) => `${name} (${kind})`),
    limits: {
      ...sizes,
      writes: rateText(writes),
      newcomer: newcomer && newcomerRateText(newcomer),
      expire: expireMs && durationText(expireMs),
    },
  };
}

function changesIn(before: unknown, after: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const name = path.filter((part) => !structure.includes(part)).join(' ') || path.join(' ');
  if (isJsonObject(before) && isJsonObject(after)) {
    const members = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...members].flatMap((member) => changesIn(before[member], after[member], [...path, member]));
  }
  if (isJsonObject(before ?? after)) return [`${name} ${isJsonObject(after) ? 'added' : 'removed'}`];
  if (Array.isArray(before) && Array.isArray(after)) {
    const removed = before
      .filter((item) => !after.includes(item))
      .map((item) => `${name} ${shown(item)} removed`);
    const added = after
      .filter((item) => !before.includes(item))
      .map((item) => `${name} ${shown(item)} added`);
    if (removed.length + added.length > 0) return [...removed, ...added];
  }
  return [`${name} ${shown(before)} -> ${shown(after)}`];
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return brief(typeof value === 'string' ? value : JSON.stringify(value));
}
