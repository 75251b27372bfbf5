import { STATUS_CODES } from 'node:http';
import { catalogue, describe, type ErrorCode } from '../base/errors.ts';
import { always, sometimes, version } from './headers.ts';
import type { Content, Headers, Response, Responses, Schema, Schemas } from './openapi-types.ts';
import { count, maybe, object, text, texts } from './schemas.ts';
import type { PartsInUse } from './shared-parts.ts';

const allCodes = Object.keys(catalogue) as ErrorCode[];

/** Errors of any request; described once, under their codes. */
export const anyRequest: readonly ErrorCode[] = [
  'bad_request',
  'https_required',
  'request_timeout',
  'headers_too_large',
  'internal',
  'shutting_down',
];

/** Errors of methods that read a body. */
export const anyBody: readonly ErrorCode[] = ['body_too_large'];
export const describedBody: readonly ErrorCode[] = ['media_type_not_supported'];

/** Errors of a token that is refused or cannot be checked. */
export const anyBearer: readonly ErrorCode[] = [
  ...allCodes.filter((code) => describe(code).challenge !== undefined),
  'consumer_suspended',
  'too_many_refusals',
  'keys_unavailable',
  'overloaded',
  'storage_unavailable',
];

/** What says nothing about the operation: errors in the form of a request, of its token, and of limits. */
export const generalErrors: readonly ErrorCode[] = [...anyRequest, ...anyBody, ...describedBody];
export const generalBearerErrors: readonly ErrorCode[] = [
  ...generalErrors,
  ...anyBearer,
  'client_not_admitted',
  'header_invalid',
  'query_invalid',
  'json_invalid',
  'not_found',
  'record_too_large',
  'read_limit_reached',
  'write_budget_spent',
  'newcomer_budget_spent',
  'newcomers_paused',
];

const fieldError = object({
  pointer: { ...text, description: 'Where: a JSON pointer (RFC 6901) into the fields.' },
  message: { ...text, description: 'What was expected, in words.' },
});
const state = maybe(text);
const allowed = { ...texts, description: 'The actions that this caller may take now.' };

const ownMembers: { readonly [C in ErrorCode]?: Schemas } = {
  query_invalid: {
    parameter: { ...text, description: 'The name of the parameter.' },
    detail: { ...text, description: 'Why the parameter is refused, and what to send.' },
  },
  json_invalid: { detail: { ...text, description: 'What the body has too many of.' } },
  batch_invalid: {
    errors: { type: 'array', minItems: 1, items: fieldError, description: 'At most one for each operation.' },
  },
  batch_refused: {
    index: { type: 'integer', minimum: 0, description: 'The index of the refused operation, from 0.' },
    problem: {
      allOf: [{ $ref: '#/components/schemas/Problem' }],
      additionalProperties: true,
      description: 'The error that the single request would get.',
    },
    etag: { ...text, description: 'The ETag of the record in "current" of the problem.' },
  },
  header_invalid: { header: { ...text, description: 'The name of the header.' } },
  insufficient_scope: {
    scope: { ...text, description: 'The scopes that the token needs here, separated by spaces.' },
  },
  validation_failed: {
    errors: { type: 'array', minItems: 1, items: fieldError, description: 'At most one for each field.' },
  },
  record_too_large: { limit: { type: 'integer', description: 'How many bytes a record may have.' } },
  not_unique: {
    fields: { ...texts, description: 'The values that must differ: owner, parent, or fields.' },
  },
  has_children: { collection: { ...text, description: 'The collection of the records under it.' } },
  quota_exceeded: { limit: { type: 'integer', description: 'How many there can be.' } },
  too_many_streams: { limit: { type: 'integer', description: 'How many a caller may have open.' } },
  precondition_failed: { current: { type: 'object', description: 'The record as it is now.' } },
  invalid_transition: { state, allowed },
  action_not_allowed: { state, allowed },
  not_editable: { state, allowed: { ...texts, description: 'The states in which this caller may do it.' } },
  proof_invalid: {
    proof_fault: { ...text, description: 'The rule of RFC 9449 section 4.3 that the proof breaks.' },
  },
};

export function errorSchemas(canOccur: (code: ErrorCode) => boolean): Schemas {
  return { Problem: problemOf(allCodes.filter((code) => isProblem(code) && canOccur(code))), ...otherErrors };
}

function problemOf(codes: readonly ErrorCode[]): Schema {
  const sentences = codes.map((code) => describe(code).sentence);
  return {
    type: 'object',
    description: 'What went wrong (RFC 9457). Decide by "code", which is never renamed and never reused.',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { ...text, description: '"urn:vestibule:error:" and the code.' },
      title: { ...text, description: 'A sentence for people.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: { ...text, enum: codes, 'x-enum-descriptions': sentences },
    },
  };
}

const otherErrors: Schemas = {
  OAuthError: {
    type: 'object',
    description: 'What went wrong with a form at POST /token (RFC 6749 section 5.2).',
    required: ['error', 'error_description'],
    properties: { error: text, error_description: { ...text, description: 'A sentence for people.' } },
  },
  Nothing: { type: 'object', description: 'An object without members.', maxProperties: 0 },
};

/** Error responses by status; `default` has the general ones. `current` is the record in the answer of a 412. */
export function errorResponses(
  codes: readonly ErrorCode[],
  general: readonly ErrorCode[],
  headers: Headers,
  parts: PartsInUse,
  current?: Schema,
): Responses {
  const shared = (status: string, alike: readonly ErrorCode[]) =>
    parts.share('responses', status, response(status, alike, headers, parts, current));
  const byStatus = Map.groupBy(new Set(codes), (code) => String(describe(code).status));
  const own = [...byStatus].filter(([, alike]) => !alike.every((code) => general.includes(code)));
  const responses = own.map(([status, alike]) => [status, shared(status, alike)]);
  return { ...Object.fromEntries(responses), default: shared('default', general) };
}

function response(
  status: string,
  codes: readonly ErrorCode[],
  besides: Headers,
  parts: PartsInUse,
  current?: Schema,
): Response {
  const headers = parts.shareHeaders({ ...headersOf(status, codes), ...besides });
  const [only, ...more] = codes.map((code) => describe(code).sentence);
  return {
    description:
      only !== undefined && more.length === 0 ? only : `${STATUS_CODES[status] ?? 'Any other error'}.`,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    content: contentOf(codes, current),
  };
}

function headersOf(status: string, codes: readonly ErrorCode[]): Headers {
  if (status === '401') return { 'WWW-Authenticate': always('How a client can authenticate (RFC 9110).') };
  if (status === '412') return version;
  const wait = status === 'default' ? sometimes : always;
  const seconds = { ...wait('How many seconds to wait before the next try.'), schema: count };
  const challenge = sometimes('The challenge (RFC 9110), if the token is the reason.');
  return {
    ...(codes.some((code) => describe(code).challenge !== undefined) && { 'WWW-Authenticate': challenge }),
    ...(['429', '503', 'default'].includes(status) && { 'Retry-After': seconds }),
  };
}

function contentOf(codes: readonly ErrorCode[], current: Schema | undefined): Content {
  const problems = codes.filter(isProblem);
  const oauthErrors = codes.map((code) => describe(code).oauthError).filter((error) => error !== undefined);
  const others = [
    ...(codes.some((code) => describe(code).emptyBody) ? [{ $ref: '#/components/schemas/Nothing' }] : []),
    ...(oauthErrors.length > 0 ? [oauthSchema(oauthErrors)] : []),
  ];
  const [only = {}] = others;
  const json = { 'application/json': { schema: others.length === 1 ? only : { oneOf: others } } };
  const problem = { schema: problemSchema(problems, current) };
  return {
    ...(others.length === 0 ? {} : json),
    ...(problems.length === 0 ? {} : { 'application/problem+json': problem }),
  };
}

function problemSchema(codes: readonly ErrorCode[], current: Schema | undefined): Schema {
  const members: Record<string, Schema> = Object.assign({}, ...codes.map((code) => ownMembers[code]));
  if (current !== undefined && members.current !== undefined) members.current = current;
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { code: { enum: codes }, ...members },
  };
}

function oauthSchema(errors: readonly string[]): Schema {
  return {
    allOf: [{ $ref: '#/components/schemas/OAuthError' }],
    properties: { error: { enum: [...new Set(errors)] } },
  };
}

function isProblem(code: ErrorCode): boolean {
  const { emptyBody, oauthError } = describe(code);
  return !emptyBody && oauthError === undefined;
}
