import { Refusal } from '../../base/errors.ts';
import { recordIdForm } from '../../base/random.ts';
import type { Collection } from '../../collections/collection.ts';
import { queryParameters } from '../../collections/indexed-fields.ts';
import { isDateTime, normaliseDateTime } from '../../collections/normalise.ts';
import { mayEver, readableStates } from '../../collections/roles.ts';
import type { FieldValue, IndexedField, Operator, RecordQuery } from '../../storage/port.ts';
import { type CallerAccess, memberRoles } from '../caller-access.ts';
import { longestQuery, longestWord, maxParts, maxWords, readWords, shortestWord } from './search-words.ts';

export const defaultPage = 50;
export const largestPage = 200;

type SortField = RecordQuery['sort']['field'];

/** The query for the storage, and the parameters as sent, for links and cursors. */
export interface ListQuery {
  readonly wanted: Pick<
    RecordQuery,
    'owner' | 'state' | 'states' | 'memberOf' | 'conditions' | 'sort' | 'limit'
  >;
  readonly isEverybodys: boolean;
  /** The words to search for; null: none. */
  readonly words: readonly string[] | null;
  /** The parent that the list is limited to; null: none. */
  readonly parentId: string | null;
  readonly cursor: string | null;
  /** The parameters that select and sort, ordered by name. */
  readonly filters: readonly (readonly [name: string, value: string])[];
  /** The parameters as sent, without the cursor. */
  readonly asked: readonly (readonly [name: string, value: string])[];
}

const parameterForm = /^([A-Za-z][A-Za-z0-9_]*)(?:\[(gt|gte|lt|lte)\])?$/;

/** Parameters of pages, which do not select records. */
const ofPages = ['limit', 'cursor', 'sort'];

/** The query of a list of which only the number of records is wanted. */
export function readCountQuery(collection: Collection, text: string, access: CallerAccess): ListQuery {
  const parameters = readParameters(text);
  for (const name of ofPages) if (parameters.has(name)) throw invalid(name, 'A count has no pages.');
  const query = readListQuery(collection, text, access);
  if (query.isEverybodys)
    throw notOfEverybody('mine', "The list of everybody's records is not counted", collection);
  return query;
}

/** Refuses the whole query unless every parameter is known, occurs once and has a valid value. */
export function readListQuery(collection: Collection, text: string, access: CallerAccess): ListQuery {
  const parameters = readParameters(text);
  const state = readState(collection, parameters.get('state'));
  const parentId = readParent(collection, parameters);
  const kind: ListKind =
    parentId === null ? readKind(collection, parameters, access, state) : { owner: null };
  const isEverybodys = parentId === null && kind.owner === null && kind.memberOf === undefined;
  const words = readSearch(collection, parameters.get('q'));
  if (words !== null && isEverybodys)
    throw notOfEverybody('q', "The list of everybody's records cannot be searched", collection);
  const conditions = [...parameters].flatMap(([name, value]) =>
    queryParameters.includes(name) || name === collection.parent?.field
      ? []
      : [readCondition(collection, name, value)],
  );
  const asked = [...parameters].filter(([name]) => name !== 'cursor');
  const [first] = conditions;
  const usual = isEverybodys && first !== undefined ? `-${nameOf(first.field)}` : '-created_at';
  const sort = readSort(collection, parameters.get('sort') ?? usual);
  if (isEverybodys) checkIndexed(conditions, state, sort);
  if (words !== null && !(sort.field === 'created_at' && sort.descending))
    throw invalid('sort', 'Search results are sorted newest first. Leave "sort" out.');
  if (kind.memberOf !== undefined && sort.field !== 'created_at')
    throw invalid(
      'sort',
      'Records of others in which the caller has a role are sorted by "created_at" only. Ask for mine=true to sort the caller\'s own records.',
    );
  return {
    wanted: { ...kind, state, conditions, sort, limit: readLimit(parameters.get('limit')) },
    isEverybodys,
    words,
    parentId,
    cursor: parameters.get('cursor') ?? null,
    filters: asked.filter(([name]) => name !== 'limit').toSorted(([a], [b]) => (a < b ? -1 : 1)),
    asked,
  };
}

function readSearch(collection: Collection, text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  if (collection.search.length === 0) throw unknown(collection, 'q');
  const words = readWords(text);
  if (words !== null) return words;
  throw invalid(
    'q',
    `Search for 1 to ${maxWords} words, each of ${shortestWord} to ${longestWord} letters and digits, with at most ${maxParts} parts ("e-mail" has two) and ${longestQuery} characters in all.`,
  );
}

function notOfEverybody(parameter: string, what: string, collection: Collection): Refusal {
  const others = memberRoles(collection).length === 0 ? '' : ', or for role=<role>';
  const { parent } = collection;
  const under =
    parent === null ? '' : `, or for the records under one of ${parent.collection}: ${parent.field}=<id>`;
  return invalid(parameter, `${what}. Ask for mine=true${others}${under}.`);
}

type ListKind = Pick<RecordQuery, 'owner' | 'states' | 'memberOf'>;

function readParent({ parent }: Collection, parameters: ReadonlyMap<string, string>): string | null {
  const id = parent === null ? undefined : parameters.get(parent.field);
  if (parent === null || id === undefined) return null;
  for (const name of ['mine', 'role'])
    if (parameters.has(name))
      throw invalid(
        name,
        `"${name}" and "${parent.field}" cannot be combined: a list is of one kind. Send one of them.`,
      );
  // A malformed id is treated as the id of no record.
  return recordIdForm.test(id) ? id : 'none';
}

/** A list is of one kind: the caller's own records, those in which it has a role, both, or everyone's. */
function readKind(
  collection: Collection,
  parameters: ReadonlyMap<string, string>,
  access: CallerAccess,
  state: string | null,
): ListKind {
  const { id, listedStates } = access;
  const role = readRole(collection, parameters.get('role'));
  const isMine = readMine(parameters.get('mine'));
  const inRoles = (roles: readonly string[]) => ({
    member: id,
    roles: roles.map((one) => ({ role: one, states: readableStates(collection, [one, 'everyone']) })),
  });
  if (role !== null) {
    if (isMine) throw invalid('role', '"mine" and "role" cannot be combined. Send one of them.');
    return { owner: null, memberOf: inRoles([role]) };
  }
  const roles = memberRoles(collection);
  const isEverybodys = listedStates?.length !== 0;
  const { parent } = collection;
  if (parent !== null && !isEverybodys && roles.length === 0 && !mayEver(collection.access.read, ['owner']))
    throw invalid(
      parent.field,
      `This list would always be empty. Ask for the records under one of ${parent.collection}: ?${parent.field}=<id>.`,
    );
  if (isMine || !isEverybodys) {
    const own = { owner: id, ...ownStates(collection) };
    return isMine || roles.length === 0 ? own : { ...own, memberOf: inRoles(roles) };
  }
  if (state === null) return { owner: null, states: listedStates ?? undefined };
  if (listedStates !== null && !listedStates.includes(state))
    throw invalid(
      'state',
      `This list has no records in the state "${state}". Send mine=true to list the caller's own records.`,
    );
  return { owner: null };
}

/** The states in which owners read their records; null for all. */
function ownStates(collection: Collection): Pick<RecordQuery, 'states'> {
  const states = collection.isShared ? readableStates(collection, ['owner', 'everyone']) : null;
  return states === null ? {} : { states };
}

function readRole(collection: Collection, role: string | undefined): string | null {
  if (role === undefined) return null;
  const roles = memberRoles(collection);
  if (roles.includes(role)) return role;
  if (roles.length === 0) throw unknown(collection, 'role');
  throw invalid('role', `The value of "role" is unknown. Send one of these: ${roles.join(', ')}.`);
}

export function linkTo({ asked }: ListQuery, cursor: string): string {
  return new URLSearchParams([...asked.map(([name, value]) => [name, value]), ['cursor', cursor]]).toString();
}

/**
 * A list of all owners needs an index: by state and creation time, or by the sort field. A list of one owner allows any
 * filter.
 */
function checkIndexed(
  conditions: RecordQuery['conditions'],
  state: string | null,
  { field }: RecordQuery['sort'],
): void {
  const sortedBy = nameOf(field);
  const sort = `this list is sorted by "${sortedBy}" (by "sort", or by its first filter if "sort" is missing)`;
  if (state !== null && sortedBy !== 'created_at') {
    throw invalid(
      'state',
      `"state" and "${sortedBy}" cannot be combined: the list of everybody's records can be filtered by "state" only if it is sorted by "created_at", and ${sort}. Send one of them.`,
    );
  }
  const other = conditions.map((condition) => nameOf(condition.field)).find((name) => name !== sortedBy);
  if (other === undefined) return;
  throw invalid(
    other,
    `"${other}" and "${sortedBy}" cannot be combined: the list of everybody's records can be filtered only by the field that it is sorted by, and ${sort}. Send one of them.`,
  );
}

export function nameOf(field: SortField): string {
  return field === 'created_at' ? field : field.name;
}

/** For a list without filters. */
export function readPageParameters(text: string): { readonly limit: number; readonly cursor: string | null } {
  const { limit, cursor = null, ...others } = Object.fromEntries(readParameters(text));
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'It is unknown here. Send "limit" and "cursor" only.');
  return { limit: readLimit(limit), cursor };
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw invalid(name, 'It is there twice. Send it once.');
    parameters.set(name, value);
  }
  return parameters;
}

function readCondition(
  collection: Collection,
  name: string,
  text: string,
): RecordQuery['conditions'][number] {
  const [, fieldName = '', operator = 'eq'] = parameterForm.exec(name) ?? [];
  const field = findField(collection, fieldName);
  if (field === null) throw unknown(collection, name);
  const value = readValue(collection, field, text);
  if (value === null) throw invalid(name, `Send ${expectedOf(collection, field)}.`);
  return { field, operator: operator as Operator, value };
}

function readSort(collection: Collection, text: string): RecordQuery['sort'] {
  const descending = text.startsWith('-');
  const field = findField(collection, descending ? text.slice(1) : text);
  if (field === null) throw invalid('sort', `Send one of these, or "-" and one: ${fieldsOf(collection)}.`);
  return { field, descending };
}

function readState(collection: Collection, state: string | undefined): string | null {
  const { machine } = collection;
  if (state === undefined || machine?.states.has(state)) return state ?? null;
  if (machine === null) throw unknown(collection, 'state');
  throw invalid('state', `Send one of these: ${[...machine.states.keys()].join(', ')}.`);
}

/** Only the caller itself can be named: no query asks for the records of another owner. */
function readMine(text: string | undefined): boolean {
  if (text !== undefined && text !== 'true') throw invalid('mine', 'Send mine=true, or leave it out.');
  return text === 'true';
}

function readLimit(text = String(defaultPage)): number {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > largestPage) throw invalid('limit', `Send a number from 1 to ${largestPage}.`);
  return limit;
}

function findField({ index }: Collection, name: string): SortField | null {
  if (name === 'created_at') return name;
  return index.find((field) => field.name === name) ?? null;
}

function readValue(collection: Collection, field: SortField, text: string): FieldValue | null {
  if (field === 'created_at') {
    const time = normaliseDateTime(text);
    return time === null ? null : Date.parse(time);
  }
  return isDateTime(collection, field.name) ? normaliseDateTime(text) : readPlain(field, text);
}

function expectedOf(collection: Collection, field: SortField): string {
  if (field === 'created_at' || isDateTime(collection, field.name))
    return 'a time such as 2026-01-01T09:00:00Z';
  return { text: 'a text without NUL', boolean: 'true or false', number: 'a number' }[field.kind];
}

function readPlain({ kind }: IndexedField, text: string): FieldValue | null {
  if (kind === 'text') return text.includes('\0') ? null : text;
  if (kind === 'boolean') return text === 'true' ? 1 : text === 'false' ? 0 : null;
  return /^-?\d{1,17}(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?$/.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : null;
}

function invalid(parameter: string, detail: string): Refusal {
  return new Refusal('query_invalid', { members: { parameter, detail } });
}

function fieldsOf({ index }: Collection): string {
  return ['created_at', ...index.map(({ name }) => name)].join(', ');
}

/** Names what a list of this collection takes. */
function unknown(collection: Collection, parameter: string): Refusal {
  const { machine, parent, search } = collection;
  const filters = [machine && 'state', memberRoles(collection)[0] && 'role', search[0] && 'q', parent?.field];
  const others = [...ofPages, 'mine', ...filters].filter(Boolean).join(', ');
  const fields = `${fieldsOf(collection)}, alone or with [gt], [gte], [lt] or [lte]`;
  return invalid(parameter, `It is unknown here. Send one of these: ${others}; or a field: ${fields}.`);
}
