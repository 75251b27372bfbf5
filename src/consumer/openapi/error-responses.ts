import { STATUS_CODES } from 'node:http';
import { catalogue, describe, type ErrorCode } from '../../base/errors.ts';
import type { Schema } from '../collections/collection.ts';
import type { Content, Headers, Response, Responses } from './openapi-types.ts';
import { basicChallenge, bearerChallenge, retryAfter, version } from './response-headers.ts';

const problemType = 'application/problem+json';
const allCodes = Object.keys(catalogue) as ErrorCode[];

/** What any request may be answered with, whatever it asks for. Each is described once, under its code. */
export const anyRequest: readonly ErrorCode[] = [
  'bad_request',
  'https_required',
  'request_timeout',
  'body_too_large',
  'media_type_not_supported',
  'headers_too_large',
  'internal',
  'shutting_down',
];

/** What comes instead of an answer when the token is not good enough, or cannot be checked. */
export const anyBearer: readonly ErrorCode[] = [
  ...anyRequest,
  ...allCodes.filter((code) => describe(code).challenge !== undefined),
  'consumer_suspended',
  'too_many_refusals',
  'keys_unavailable',
  'overloaded',
  'storage_unavailable',
];

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const fieldErrors = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['pointer', 'message'],
    properties: {
      pointer: { ...text, description: 'Where: a JSON pointer (RFC 6901) into the fields.' },
      message: { ...text, description: 'What would be right, in words.' },
    },
  },
};

/** Members that a problem has besides the four that all have. */
const ownMembers: { readonly [C in ErrorCode]?: Readonly<Record<string, Schema>> } = {
  query_invalid: {
    parameter: { ...text, description: 'The name of the parameter.' },
    detail: { ...text, description: 'With which other it does not go together, when it is right by itself.' },
  },
  header_invalid: { header: { ...text, description: 'The name of the header.' } },
  validation_failed: { errors: { ...fieldErrors, description: 'At most one for each field.' } },
  record_too_large: { limit: { type: 'integer', description: 'How many bytes a record may have.' } },
  quota_exceeded: { limit: { type: 'integer', description: 'How many records a caller may have.' } },
  precondition_failed: { current: { type: 'object', description: 'The record as it is now.' } },
  invalid_transition: {
    state: { ...text, description: 'The state that the record is in.' },
    allowed: { ...texts, description: 'The actions that this caller may take in it.' },
  },
  not_editable: { state: { ...text, description: 'The state that the record is in.' } },
};

/** The schemas that the responses below refer to. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Problem: {
    type: 'object',
    description: 'What went wrong (RFC 9457). Decide by "code", which is never renamed and never reused.',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { type: 'string', description: '"urn:vestibule:error:" and the code.' },
      title: { type: 'string', description: 'A sentence for people.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: {
        type: 'string',
        enum: allCodes.filter(isProblem),
        'x-enumDescriptions': Object.fromEntries(
          allCodes.filter(isProblem).map((code) => [code, describe(code).sentence]),
        ),
      },
    },
  },
  OAuthError: {
    type: 'object',
    description: 'What went wrong with a form at POST /token (RFC 6749 section 5.2).',
    required: ['error', 'error_description'],
    properties: { error: text, error_description: { ...text, description: 'A sentence for people.' } },
  },
  Nothing: {
    type: 'object',
    description: 'An object without members.',
    maxProperties: 0,
  },
};

/** The responses that are referred to by their code. */
export const sharedResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  anyRequest.map((code) => [code, response(describe(code).status, [code])]),
);

/** The responses for these codes of the catalogue, by status. `current` is the record of a failed precondition. */
export function errorResponses(codes: readonly ErrorCode[], current?: Schema): Responses {
  const byStatus = [...Map.groupBy(new Set(codes), (code) => describe(code).status)];
  const responses = byStatus.map(([status, [only = 'internal', ...more]]) => {
    const isShared = more.length === 0 && only in sharedResponses;
    return [
      status,
      isShared ? { $ref: `#/components/responses/${only}` } : response(status, [only, ...more], current),
    ];
  });
  return Object.fromEntries(responses);
}

function response(status: number, codes: readonly [ErrorCode, ...ErrorCode[]], current?: Schema): Response {
  const description = codes.length === 1 ? describe(codes[0]).sentence : `${STATUS_CODES[status]}.`;
  const headers = headersOf(status, codes);
  const content = contentOf(status, codes, current);
  return { description, ...(Object.keys(headers).length > 0 ? { headers } : {}), content };
}

function headersOf(status: number, codes: readonly ErrorCode[]): Headers {
  return {
    ...(status === 401 ? basicChallenge : {}),
    ...(codes.some((code) => describe(code).challenge !== undefined) ? bearerChallenge : {}),
    ...(status === 412 ? version : {}),
    ...(status === 429 || status === 503 ? retryAfter : {}),
  };
}

function contentOf(status: number, codes: readonly ErrorCode[], current: Schema | undefined): Content {
  const problems = codes.filter(isProblem);
  const oauthErrors = codes.map((code) => describe(code).oauthError).filter((error) => error !== undefined);
  const others = [
    ...(codes.some((code) => describe(code).emptyBody) ? [{ $ref: '#/components/schemas/Nothing' }] : []),
    ...(oauthErrors.length > 0 ? [oauthSchema(oauthErrors)] : []),
  ];
  const [only] = others;
  return {
    ...(only === undefined
      ? {}
      : { 'application/json': { schema: others.length === 1 ? only : { oneOf: others } } }),
    ...(problems.length === 0
      ? {}
      : { [problemType]: { schema: problemSchema(problems, current), example: example(status, problems) } }),
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

/** Of a code without members of its own, where there is one. */
function example(status: number, codes: readonly ErrorCode[]): object {
  const code = codes.find((candidate) => ownMembers[candidate] === undefined) ?? (codes[0] as ErrorCode);
  return { type: `urn:vestibule:error:${code}`, title: describe(code).sentence, status, code };
}

function isProblem(code: ErrorCode): boolean {
  const { emptyBody, oauthError } = describe(code);
  return !emptyBody && oauthError === undefined;
}
