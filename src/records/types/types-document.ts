import type { ErrorCode } from '../../base/errors.ts';
import { type Collection, type Schema, serviceMembers, statesOf } from '../../collections/collection.ts';
import { actionFields } from '../../collections/roles.ts';
import type { Description } from '../../openapi/description.ts';
import { codesOf } from '../../openapi/document.ts';
import type { Parameter, Schemas } from '../../openapi/openapi-types.ts';
import { recordSchemas } from '../describe/in-collection.ts';
import * as people from '../describe/people.ts';
import { describeCount, describeHistory, describeList, describeRead } from '../describe/reads.ts';
import * as writing from '../describe/writes.ts';
import { hasMembers, invitedRoles } from '../requests/people.ts';
import { singularOf } from '../singular.ts';
import { objectType, typeOf } from './schema-type.ts';
import { block, comment, literal, memberName, sentence, union } from './source-text.ts';

const whole = 'Collections';
/** The names that all collections share. */
const shared = { bounds: 'Bounds', problem: 'CommonProblem' } as const;

/** One file of TypeScript declarations that imports nothing: the types of all collections, for the typed client. */
export function typesDocument(collections: readonly Collection[]): string {
  const names = nameTypes(
    collections.map(({ name }) => name),
    // The names that the types use.
    [whole, 'Date', ...Object.values(shared)],
  );
  const problems = collections.map(problemsOf);
  const common = commonProblems(problems);
  const each = collections.map((collection, index) => ({
    collection,
    names: names[index] as TypeNames,
    problems: problems[index] as Problems,
    common,
  }));
  const parts = [
    '// Made by "npx vestibule types" from the declarations of the collections. Do not edit: change those, and run it again.',
    ...each.flatMap(({ collection, names: own }) => recordTypes(collection, own)),
    `${comment(['A range of values: after "gt", from "gte" on, before "lt", up to "lte".'])}export interface ${shared.bounds}<Value> ${block(
      ['gt', 'gte', 'lt', 'lte'].map((operator) => `${operator}?: Value;`),
    )}`,
    `${comment(['The error codes of every call.'])}export type ${shared.problem} = ${common.size === 0 ? 'never' : union([...common].map(literal))};`,
    `${comment(['For createClient<Collections>() of @vestibule/client.'])}export interface ${whole} ${block(each.map(collectionTypes))}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

interface TypedCollection {
  readonly collection: Collection;
  readonly names: TypeNames;
  readonly problems: Problems;
  /** The `problems` of every call. */
  readonly common: ReadonlySet<ErrorCode>;
}

/** The information about a collection for the typed client: a member of the interface `Collections`. */
function collectionTypes({ collection, names, problems, common }: TypedCollection): string {
  const { name, machine } = collection;
  const { parameters = [] } = describeList(collection);
  const types = {
    record: names.record,
    create: names.fields,
    update: names.changes,
    state: literals(statesOf(collection)),
    action: literals(machine?.actions ?? []),
    ...inputTypes(collection, names),
    ...roleTypes(collection),
    filter: filterType(collection, parameters),
    sort: typeOf(parameters.find((parameter) => parameter.name === 'sort')?.schema, 'write'),
    problem: problemType(problems, common),
  };
  const members = Object.entries(types).map(([member, type]) => `${member}: ${type};`);
  return `${comment(aboutCollection(collection))}${memberName(name)}: ${block(members)};`;
}

/** The fields that each action sets; a replacement has to contain them unchanged. */
function inputTypes(collection: Collection, { record, fields }: TypeNames): Readonly<Record<string, string>> {
  const set = [...actionFields(collection).keys()];
  const inputs = (collection.machine?.actions ?? []).flatMap((action) => {
    const input = writing.describeAction(collection, action).body?.['application/json']?.schema;
    return input === undefined ? [] : [`${memberName(action)}: ${objectType(input, 'write')};`];
  });
  return {
    ...(set.length === 0 ? {} : { replace: `${fields} & Pick<${record}, ${literals(set)}>` }),
    ...(inputs.length === 0 ? {} : { input: block(inputs) }),
  };
}

/** The roles in a record, and those with invitations. */
function roleTypes(collection: Collection): Readonly<Record<string, string>> {
  const { properties = {} } = recordSchemas(collection).components[`${collection.name}.record`] ?? {};
  const { roles } = properties as Schemas;
  const invited = invitedRoles(collection);
  return {
    ...(roles === undefined ? {} : { role: typeOf(roles.items, 'read') }),
    ...(invited.length === 0 ? {} : { invited: literals(invited) }),
  };
}

function literals(names: readonly string[]): string {
  return names.length === 0 ? 'never' : union(names.map(literal));
}

/** Parameters for pages and their order are no filters. */
const ofPages = ['limit', 'cursor', 'sort'];

/** The filters of a list, from the parameters of its query: no other field has an index. */
function filterType({ schema, index }: Collection, parameters: readonly Parameter[]): string {
  const properties = (schema.properties ?? {}) as Schemas;
  const filters = parameters.filter((each) => each.in === 'query' && !ofPages.includes(each.name));
  const byField = Map.groupBy(filters, (each) => each.name.replace(/\[.*$/, ''));
  const members = [...byField].map(([name, [equal, ...ranges]]) => {
    const isField = index.some((field) => field.name === name);
    const value = typeOf(isField ? properties[name] : equal?.schema, 'write');
    // The client sends a Date as text in the format of the service.
    const date = equal?.schema.format === 'date-time' ? ['Date'] : [];
    const bound = union([typeOf(equal?.schema, 'write'), ...date]);
    // A boolean needs no range.
    const bounds = ranges.length > 0 && bound !== 'boolean' ? [`${shared.bounds}<${bound}>`] : [];
    return `${memberName(name)}?: ${union([value, ...date, ...bounds])};`;
  });
  return block(members);
}

function problemType(problems: Problems, common: ReadonlySet<ErrorCode>): string {
  const members = Object.entries(problems).map(([call, codes]) => {
    const own = [...codes.difference(common)].map(literal);
    return `${call}: ${codes.size === 0 ? 'never' : union([shared.problem, ...own])};`;
  });
  return block(members);
}

function aboutCollection({ title, description, deprecated }: Collection): readonly string[] {
  return [sentence(title), sentence(description ?? ''), deprecated === null ? '' : '@deprecated'];
}

/** The refusal codes of each call of the typed client. */
type Problems = Readonly<Record<string, ReadonlySet<ErrorCode>>>;

/** The same codes as in the OpenAPI document, from the descriptions of the routes. */
export function problemsOf(collection: Collection): Problems {
  const codes = (method: string, ...descriptions: readonly Description[]) =>
    new Set(descriptions.flatMap((each) => codesOf({ method, path: '', access: 'bearer', ...each })));
  const actions = collection.machine?.actions ?? [];
  return {
    list: codes('GET', describeList(collection)),
    count: codes('GET', describeCount(collection)),
    get: codes('GET', describeRead(collection)),
    create: codes('POST', writing.describeCreate(collection)),
    update: codes('PATCH', writing.describePatch(collection)),
    replace: codes('PUT', writing.describeReplace(collection)),
    remove: codes('DELETE', writing.describeRemove(collection)),
    act: codes('POST', ...actions.map((action) => writing.describeAction(collection, action))),
    ...(collection.history ? { history: codes('GET', describeHistory(collection)) } : {}),
    ...(hasMembers(collection) ? { members: codes('GET', people.describeMembers(collection)) } : {}),
    ...(invitedRoles(collection).length === 0
      ? {}
      : {
          invite: codes('POST', people.describeInvite(collection)),
          invitations: codes('GET', people.describeInvitations(collection)),
          endInvitation: codes('DELETE', people.describeEndInvitation(collection)),
          changeMember: codes('PATCH', people.describeChangeMember(collection)),
          removeMember: codes('DELETE', people.describeRemoveMember(collection)),
          leave: codes('DELETE', people.describeRemoveMember(collection)),
        }),
  };
}

/** The refusal codes of every call of every collection. */
function commonProblems(all: readonly Problems[]): ReadonlySet<ErrorCode> {
  const calls = all.flatMap((problems) => Object.values(problems)).filter(({ size }) => size > 0);
  return calls.reduce((common, codes) => common.intersection(codes), calls[0] ?? new Set());
}

/** The interfaces of a record: as read, created and changed. */
function recordTypes(collection: Collection, names: TypeNames): readonly string[] {
  const { name, schema, title } = collection;
  const { components } = recordSchemas(collection);
  const about = [title, collection.description, schema.description].map((text) =>
    sentence(String(text ?? '')),
  );
  const which = `of ${literal(name)}`;
  const set = new Set(actionFields(collection).keys());
  const { parent } = collection;
  const fixed = parent === null ? set : set.union(new Set([parent.field]));
  return [
    `${comment([...about, `A record ${which}, as it is read.`])}export interface ${names.record} ${objectType(components[`${name}.record`] ?? {}, 'read', serviceMembers(collection).union(set))}`,
    `${comment([`The fields of a new record ${which}, or of one that is replaced.`])}export interface ${names.fields} ${objectType(without(set, schema), 'write')}`,
    `${comment([`The changes to a record ${which}: null removes an optional field.`])}export interface ${names.changes} ${objectType(without(fixed, components[`${name}.patch`] ?? {}), 'write')}`,
  ];
}

/** Without the fields that only actions set. */
function without(names: ReadonlySet<string>, schema: Schema): Schema {
  if (names.size === 0) return schema;
  const others = Object.entries(schema.properties as Schemas).filter(([name]) => !names.has(name));
  return { ...schema, properties: Object.fromEntries(others) };
}

type TypeNames = ReturnType<typeof namesOf>;

/** "team-bookings" is `TeamBooking`. On a conflict the later collection keeps its plural. */
export function nameTypes(collections: readonly string[], reserved: readonly string[]): readonly TypeNames[] {
  const taken = new Set(reserved);
  return collections.map((collection) => {
    const isFree = (name: string) => Object.values(namesOf(name)).every((each) => !taken.has(each));
    let name = inCapitals(singularOf(collection));
    if (!isFree(name)) name = inCapitals(collection);
    while (!isFree(name)) name += '_';
    const names = namesOf(name);
    for (const each of Object.values(names)) taken.add(each);
    return names;
  });
}

function namesOf(name: string) {
  return { record: name, fields: `${name}Fields`, changes: `${name}Changes` };
}

/** Stays unique: a "-" that is not before a letter becomes "_". */
function inCapitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '_');
}
