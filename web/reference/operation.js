/** @import { Answer, Content, Endpoint, OpenApi, Operation, Parameter, Schema } from './openapi.ts' */
import { element } from './element.js';
import { meaningOf, membersOf, resolve, typeInWords } from './schema.js';

/**
 * An operation, folded to one line. `tryIt` is its form.
 * @type {(endpoint: Endpoint, api: OpenApi, tryIt: HTMLElement | null) => HTMLElement}
 */
export function operationArticle(endpoint, api, tryIt) {
  const { path, method, operation } = endpoint;
  const { operationId, summary, description, deprecated, parameters, requestBody } = operation;
  const title = element('h3', { id: operationId }, methodMark(method), ' ', element('span', {}, summary));
  const line = element(
    'summary',
    {},
    title,
    deprecated ? element('small', { class: 'deprecated' }, 'deprecated') : null,
    ' ',
    element('code', { class: 'path' }, path),
  );
  const inner = element(
    'div',
    { class: 'inner' },
    ...paragraphs(description),
    codeBlock('Example for a shell', curl(endpoint, api)),
    tryIt,
    ...(parameters ? [element('h4', {}, 'Parameters'), parameterRows(parameters, api)] : []),
    ...(requestBody ? [element('h4', {}, 'Body'), ...bodyRows(requestBody.content, api)] : []),
    element('h4', {}, 'Answers'),
    ...answersOf(operation, api),
  );
  const fold = element('details', { class: 'operation' }, line, inner);
  return element('article', { 'aria-labelledby': operationId }, fold);
}

/** @param {string} method */
export function methodMark(method) {
  return element('span', { class: `method ${method}` }, method);
}

/** @param {string} [text] */
export function paragraphs(text = '') {
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '');
  return parts.map((part) => element('p', {}, part));
}

/** @type {(label: string, text: string) => HTMLElement} */
export function codeBlock(label, text) {
  return element('pre', { tabindex: '0', 'aria-label': label }, element('code', {}, text));
}

/** @type {(endpoint: Endpoint, api: OpenApi) => string} */
export function curl({ path, method, operation }, api) {
  const url = `${api.servers[0]?.url ?? ''}${path.replace('{id}', '$ID')}`;
  const [contentType, example] = bodyOf(operation, api);
  const isProven = needsProof(operation);
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`,
    ...(isPublic(operation) ? [] : [`-H "Authorization: ${isProven ? 'DPoP' : 'Bearer'} $TOKEN"`]),
    ...(isProven ? ['-H "DPoP: $PROOF"'] : []),
    ...(contentType === '' ? [] : [`-H "Content-Type: ${contentType}"`]),
    ...(example === undefined ? [] : [`-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(' \\\n  ');
}

/**
 * The content type and the example of the body.
 * @type {(operation: Operation, api: OpenApi) => [contentType: string, example: unknown]}
 */
export function bodyOf({ requestBody }, api) {
  const [contentType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return [contentType ?? '', media && (media.example ?? resolve(media.schema, api).examples?.[0])];
}

/** True if the operation needs no access token (POST /token has other ways). @param {Operation} operation */
export function isPublic({ security }) {
  return security.every((way) => !('bearer' in way || 'dpop' in way));
}

/** @param {Operation} operation */
export function needsProof({ security }) {
  return security.length > 0 && security.every((way) => 'dpopProof' in way);
}

/** @type {(parameters: readonly Parameter[], api: OpenApi) => HTMLElement} */
function parameterRows(parameters, api) {
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    memberRow({ name, isRequired: required === true }, `${typeInWords(schema, api)}, in the ${place}`, [
      description,
      meaningOf(schema),
    ]),
  );
  return element('dl', { class: 'rows' }, ...rows);
}

/** @type {(schema: Schema, api: OpenApi) => HTMLElement | null} */
function schemaRows(schema, api) {
  const rows = membersOf(schema, api).map((member) =>
    memberRow(member, typeInWords(member.schema, api), [meaningOf(member.schema)]),
  );
  return rows.length === 0 ? null : element('dl', { class: 'rows' }, ...rows);
}

/**
 * A description list, because tables do not fit on a phone.
 * @type {(member: { name: string, isRequired: boolean }, type: string, meaning: string[]) => HTMLElement}
 */
function memberRow({ name, isRequired }, type, meaning) {
  const required = isRequired ? element('small', {}, ' required') : null;
  return element(
    'div',
    {},
    element('dt', {}, element('code', {}, name), required),
    element('dd', {}, element('span', { class: 'type' }, type), ` ${meaning.join(' ')}`),
  );
}

/** Content types with the same schema share one list. @type {(content: Content, api: OpenApi) => (HTMLElement | null)[]} */
function bodyRows(content, api) {
  const bySchema = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema));
  return [...bySchema.values()].flatMap((alike) => {
    const types = alike.map(([type]) => type).join(' or ');
    return [element('p', {}, element('code', {}, types)), schemaRows(alike[0]?.[1].schema ?? {}, api)];
  });
}

/** @type {(operation: Operation, api: OpenApi) => HTMLElement[]} */
function answersOf({ responses }, api) {
  /** @type {[string, Answer][]} */
  const all = Object.entries(responses).map(([status, answer]) => [status, resolve(answer, api)]);
  const isError = (/** @type {[string, Answer]} */ [status]) => !(Number(status) < 400);
  const errors = all.filter(isError);
  const answers = all.filter((each) => !isError(each));
  const rows = answers.map((each) => answerRow(each, bodiesOf(each[1].content, api)));
  const errorRows = errors.map((each) => answerRow(each, [codesOf(each[1].content, api)]));
  const statuses = errors.map(([status]) => status).join(', ');
  return [
    element('dl', { class: 'answers' }, ...rows),
    fold(`Errors: ${statuses}`, element('dl', { class: 'answers' }, ...errorRows)),
  ];
}

/** @type {(summary: string | Node, ...content: (Node | null)[]) => HTMLElement} */
export function fold(summary, ...content) {
  return element('details', { class: 'fold' }, element('summary', {}, summary), ...content);
}

/** @type {(answer: [string, Answer], more: Node[]) => HTMLElement} */
function answerRow([status, { description, headers = {} }], more) {
  const names = Object.keys(headers).join(', ');
  return element(
    'div',
    { class: 'answer' },
    element('dt', { class: `status s${Number(status.slice(0, 1)) || 4}` }, status),
    element(
      'dd',
      {},
      element('p', {}, description),
      names === '' ? null : element('p', { class: 'headers' }, `Headers: ${names}`),
      ...more,
    ),
  );
}

/** @type {(content: Content | undefined, api: OpenApi) => HTMLElement[]} */
function bodiesOf(content = {}, api) {
  return Object.entries(content).map(([type, { schema }]) =>
    fold(element('code', {}, type), schemaRows(schema, api)),
  );
}

/** The error codes of an answer, each with a link to its meaning. @type {(content: Content | undefined, api: OpenApi) => HTMLElement} */
function codesOf(content = {}, api) {
  const codes = Object.values(content).flatMap(
    ({ schema }) => resolve(schema, api).properties?.code?.enum ?? [],
  );
  const links = codes.map((code) => element('a', { href: `#error-${code}` }, element('code', {}, `${code}`)));
  return element('ul', { class: 'codes' }, ...links.map((link) => element('li', {}, link)));
}
