import { STATUS_CODES } from 'node:http';
import { catalogue, describe, type ErrorCode } from '../base/errors.ts';
import { always, sometimes, version } from './headers.ts';
import type { Content, Headers, Response, Responses, Schema, Schemas } from './openapi-types.ts';
import { maybe, object, text, texts } from './schemas.ts';

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
  'introspection_unavailable',
  'overloaded',
  'storage_unavailable',
];

const fieldError = object({
  pointer: { ...text, description: 'Where: a JSON pointer (RFC 6901) into the fields.' },
  message: { ...text, description: 'What was expected, in words.' },
});
const state = { ...maybe(text), description: 'The state that the record is in.' };
const allowed = { ...texts, description: 'The actions that this caller may take in this state.' };

const ownMembers: { readonly [C in ErrorCode]?: Schemas } = {
  query_invalid: {
    parameter: { ...text, description: 'The name of the parameter.' },
    detail: { ...text, description: 'Why the parameter is refused, and what to send.' },
  },
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
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'The values that must differ: owner, parent, or fields.',
    },
  },
  has_children: { collection: { type: 'string', description: 'The collection of the records under it.' } },
  quota_exceeded: { limit: { type: 'integer', description: 'How many there can be.' } },
  too_many_streams: { limit: { type: 'integer', description: 'How many a caller may have open.' } },
  precondition_failed: { current: { type: 'object', description: 'The record as it is now.' } },
  invalid_transition: { state, allowed },
  action_not_allowed: { state, allowed },
  not_editable: { state, allowed: { ...texts, description: 'The states in which this caller may do it.' } },
  proof_invalid: {
    proof_fault: {
      ...text,
      description: 'The rule of RFC 9449 section 4.3 that the proof breaks, in a word.',
    },
  },
};

export function errorSchemas(canOccur: (code: ErrorCode) => boolean): Schemas {
  return { Problem: problemOf(allCodes.filter((code) => isProblem(code) && canOccur(code))), ...otherErrors };
}

function problemOf(codes: readonly ErrorCode[]): Schema {
  const sentences = codes.map((code) => [code, describe(code).sentence]);
  return {
    type: 'object',
    description: 'What went wrong (RFC 9457). Decide by "code", which is never renamed and never reused.',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { ...text, description: '"urn:vestibule:error:" and the code.' },
      title: { ...text, description: 'A sentence for people.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: { ...text, enum: codes, 'x-enumDescriptions': Object.fromEntries(sentences) },
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

const sharedCodes: readonly ErrorCode[] = [...anyRequest, ...anyBody, ...describedBody];

export function sharedResponses(headers: Headers): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    sharedCodes.map((code) => [code, response(describe(code).status, [code], headers)]),
  );
}

/** Error responses by status. `current` is the record in the answer to a failed precondition. */
export function errorResponses(codes: readonly ErrorCode[], headers: Headers, current?: Schema): Responses {
  const byStatus = Map.groupBy(new Set(codes), (code) => describe(code).status);
  const responses = [...byStatus].map(([status, alike]) => {
    const shared = alike.length === 1 && alike.find((code) => sharedCodes.includes(code));
    const own = () => response(status, alike, headers, current);
    return [status, shared ? { $ref: `#/components/responses/${shared}` } : own()];
  });
  return Object.fromEntries(responses);
}

function response(status: number, codes: readonly ErrorCode[], besides: Headers, current?: Schema): Response {
  const headers = { ...headersOf(status, codes), ...besides };
  const [only, ...more] = codes.map((code) => describe(code).sentence);
  return {
    description: only !== undefined && more.length === 0 ? only : `${STATUS_CODES[status]}.`,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    content: contentOf(status, codes, current),
  };
}

function headersOf(status: number, codes: readonly ErrorCode[]): Headers | undefined {
  if (status === 401) return { 'WWW-Authenticate': always('How a client can authenticate (RFC 9110).') };
  if (codes.some((code) => describe(code).challenge !== undefined))
    return {
      'WWW-Authenticate': sometimes('The challenge (RFC 9110), if the token is the reason.'),
    };
  if (status === 412) return version;
  if (status !== 429 && status !== 503) return undefined;
  const seconds = always('How many seconds to wait before the next try.');
  return { 'Retry-After': { ...seconds, schema: { type: 'integer', minimum: 0 } } };
}

function contentOf(status: number, codes: readonly ErrorCode[], current: Schema | undefined): Content {
  const problems = codes.filter(isProblem);
  const oauthErrors = codes.map((code) => describe(code).oauthError).filter((error) => error !== undefined);
  const others = [
    ...(codes.some((code) => describe(code).emptyBody) ? [{ $ref: '#/components/schemas/Nothing' }] : []),
    ...(oauthErrors.length > 0 ? [oauthSchema(oauthErrors)] : []),
  ];
  const [only = {}] = others;
  const json = { 'application/json': { schema: others.length === 1 ? only : { oneOf: others } } };
  const problem = { schema: problemSchema(problems, current), example: example(status, problems) };
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

/** Prefers a code without extra members. */
function example(status: number, codes: readonly ErrorCode[]): object {
  const code = codes.find((candidate) => ownMembers[candidate] === undefined) ?? codes[0] ?? 'internal';
  return { type: `urn:vestibule:error:${code}`, title: describe(code).sentence, status, code };
}

function isProblem(code: ErrorCode): boolean {
  const { emptyBody, oauthError } = describe(code);
  return !emptyBody && oauthError === undefined;
}
