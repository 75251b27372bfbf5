import { type Collection, statesOf } from '../../collections/collection.ts';
import { typesOf } from '../../collections/schema-grammar.ts';
import { answersJson, type Description, headerParameter, queryParameter } from '../../openapi/description.ts';
import { eventsHeaders, sometimes, version } from '../../openapi/headers.ts';
import type { Parameter, Schema, Schemas } from '../../openapi/openapi-types.ts';
import { count, dateTime, listOf, maybe, object, text } from '../../openapi/schemas.ts';
import { memberRoles } from '../caller-access.ts';
import { defaultPage, largestPage } from '../requests/list-query.ts';
import { maxExamined } from '../requests/page.ts';
import { longestQuery, longestWord, maxWords, shortestWord } from '../requests/search-words.ts';
import { wordsFor } from '../singular.ts';
import { describeIn, idParameter, recordAnswer, schemasOf } from './in-collection.ts';

/** The routes of requests/read.ts. */

const bounds = { gt: 'after', gte: 'at or after', lt: 'before', lte: 'at or before' } as const;
const id = { type: 'string', format: 'uuid' };
const mine = { type: 'boolean', enum: [true] };
const limit = { type: 'integer', minimum: 1, maximum: largestPage, default: defaultPage };

export const pageParameters: readonly Parameter[] = [
  queryParameter('limit', 'How many items a page has at most.', limit),
  queryParameter('cursor', 'The cursor: "next" of the page before.', text),
];

export function describeList(collection: Collection): Description {
  const next = sometimes('The next page, with rel="next" (RFC 8288); absent on the last one.');
  const content = { 'application/json': schemasOf(collection).page };
  return describeIn(collection, 'read', {
    name: 'list',
    summary: `List ${wordsFor(collection).many}`,
    description: whatIsListed(collection),
    parameters: listParameters(collection),
    answers: { 200: { description: 'A page.', headers: { Link: next, ...eventsHeaders }, content } },
    errors: ['cursor_invalid', ...(collection.parent === null ? [] : (['not_found'] as const))],
  });
}

function whatIsListed(collection: Collection): string {
  const { access, parent } = collection;
  if (parent !== null)
    return `A page. Without "${parent.field}", the caller's own records and those in which it has a role.`;
  const isEverybodys = Object.hasOwn(access.read, 'everyone');
  const own = memberRoles(collection).length > 0 ? "the caller's own and shared" : "the caller's own";
  const sentences = [`A page of ${isEverybodys ? "everybody's" : own} records.`];
  if (!isEverybodys && access.clients === 'any') sentences.push('A machine client sees all records.');
  if (isEverybodys || access.clients === 'any')
    sentences.push(
      "The list of everybody's records is filtered by one field, by which it is then sorted, or by state and created_at; any other filter is 400. With mine=true the list has the caller's own records, and takes all filters.",
    );
  return sentences.join(' ');
}

export function describeCount(collection: Collection): Description {
  const { access, parent } = collection;
  const isEverybodys =
    parent === null && (Object.hasOwn(access.read, 'everyone') || access.clients === 'any');
  const number = (name: string, description: string) => object({ [name]: { ...count, description } });
  const counted = {
    oneOf: [
      number('count', 'How many records the list has.'),
      number('at_least', `A lower bound: there can be more. At most ${maxExamined} records are examined.`),
    ],
  };
  return describeIn(collection, 'read', {
    name: 'count',
    summary: `Count ${wordsFor(collection).many}`,
    description: `How many records the list with these parameters has.${isEverybodys ? " The list of everybody's records is not counted (400)." : ''}`,
    parameters: filterParameters(collection),
    answers: answersJson('The number.', counted),
    errors: parent === null ? [] : ['not_found'],
  });
}

function listParameters(collection: Collection): readonly Parameter[] {
  const sortable = ['created_at', ...collection.index.map(({ name }) => name)];
  return [
    ...pageParameters,
    queryParameter('sort', 'The field to sort by, with "-" in descending order; then by id.', {
      ...text,
      enum: sortable.flatMap((name) => [name, `-${name}`]),
      default: '-created_at',
    }),
    ...filterParameters(collection),
  ];
}

function filterParameters(collection: Collection): readonly Parameter[] {
  const { schema, index, machine, search, parent } = collection;
  const roles = memberRoles(collection);
  const properties = (schema.properties ?? {}) as Schemas;
  return [
    ...(search.length === 0 ? [] : [queryParameter('q', aboutSearch(search), text)]),
    ...(parent === null
      ? []
      : [
          queryParameter(
            parent.field,
            `Only records under this one of ${parent.collection}; 404 if the caller cannot read it.`,
            id,
          ),
        ]),
    queryParameter('mine', "Only the caller's own records, in a list that also has records of others.", mine),
    ...(roles.length === 0 ? [] : [oneOf('role', 'Only records in which the caller has this role.', roles)]),
    ...(machine === null ? [] : [oneOf('state', 'Only records in this state.', statesOf(collection))]),
    ...filters('created_at', dateTime),
    ...index.flatMap(({ name }) => filters(name, comparable(properties[name]))),
  ];
}

function oneOf(name: string, description: string, values: readonly string[]): Parameter {
  return queryParameter(name, description, { ...text, enum: values });
}

function aboutSearch(fields: readonly string[]): string {
  return `Only records with words in ${fields.join(' or ')} that begin with each of these: 1 to ${maxWords} words of ${shortestWord} to ${longestWord} letters and digits, in at most ${longestQuery} characters. Not for the list of everybody's records. Newest first.`;
}

function filters(name: string, schema: Schema): readonly Parameter[] {
  const ranges = Object.entries(bounds).map(([operator, where]) =>
    queryParameter(`${name}[${operator}]`, `Only records whose ${name} comes ${where} this.`, schema),
  );
  return [queryParameter(name, `Only records whose ${name} is this.`, schema), ...ranges];
}

/** A bound need not be a possible value of a record. */
function comparable(schema: Schema = {}): Schema {
  const { format } = schema;
  return { type: typesOf(schema)[0] ?? 'string', ...(format === undefined ? {} : { format }) };
}

export function describeHistory(collection: Collection): Description {
  const { machine, roles, access } = collection;
  const states = machine === null ? { type: 'null' } : { enum: [...machine.states.keys(), null] };
  const client = access.clients === 'none' ? [] : ['client'];
  const step = object({
    at: dateTime,
    action: { ...text, description: 'create, update, an action, or moved_up.' },
    from: states,
    to: states,
    by: {
      enum: ['owner', ...Object.keys(roles), ...client, 'everyone', null],
      description: 'The role that allowed it; null: the service moved the record.',
    },
  });
  const page = object({ items: listOf(step), next: maybe(text) });
  return describeIn(collection, 'read', {
    name: 'history',
    summary: `Read what happened to ${wordsFor(collection).one}`,
    description:
      'Oldest first, for all callers who may read the record. The history names roles, not people.',
    parameters: [idParameter, ...pageParameters],
    answers: answersJson('A page.', page),
    errors: ['cursor_invalid'],
  });
}

export function describeRead(collection: Collection): Description {
  const condition = 'An ETag. While the record is that version the answer is 304 without it.';
  // Roles and counts can change without a new version.
  const isFluid = collection.isShared || collection.showsCounts;
  return describeIn(collection, 'read', {
    name: 'read',
    summary: `Read ${wordsFor(collection).one}`,
    parameters: [idParameter, ...(isFluid ? [] : [headerParameter('If-None-Match', condition)])],
    answers: {
      200: recordAnswer(collection, 'The record.', { ...version, ...eventsHeaders }),
      ...(isFluid ? {} : { 304: { description: 'The record is still that version.', headers: version } }),
    },
  });
}
