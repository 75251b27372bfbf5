import type { ErrorCode } from '../../base/errors.ts';
import type { Schema } from '../collections/collection.ts';
import * as schemas from './built-in-schemas.ts';
import { anyBearer, anyRequest, errorResponses } from './error-responses.ts';
import type { Operation, Paths, Response, Tag } from './openapi-types.ts';
import { budget } from './response-headers.ts';

const about = 'This API';
const tokens = 'Tokens';
const caller = 'The caller';

export const builtInTags: readonly Tag[] = [
  { name: caller, description: 'Whoever the token speaks for, and what is held about it.' },
  { name: tokens, description: 'How machine clients get tokens, and how anyone can verify them.' },
  { name: about, description: 'What there is, for programs and for people.' },
];

const publicly = { security: [] };
const anyToken = { security: [{ bearer: [] }, { client: [] }] };

/** What is there whatever the operator declares. */
export function builtInPaths(root: string): Paths {
  return {
    [root]: { get: overviewOperation },
    [`${root}/me`]: { get: meOperation, delete: eraseOperation },
    [`${root}/me/usage`]: { get: usageOperation },
    [`${root}/me/export`]: { get: exportOperation },
    '/token': { post: tokenOperation },
    '/.well-known/jwks.json': { get: keysOperation },
    '/.well-known/oauth-authorization-server': { get: authorizationServerOperation },
    '/.well-known/oauth-protected-resource': { get: protectedResourceOperation },
    '/openapi.json': { get: openapiOperation },
    '/docs': { get: docsOperation },
    '/docs/style.css': { get: docsStyleOperation },
  };
}

const overviewOperation: Operation = {
  operationId: 'readOverview',
  summary: 'The collections, their limits and links',
  description: 'All that a frontend needs to draw itself.',
  tags: [about],
  ...publicly,
  responses: { 200: ok('What there is.', schemas.overview), ...errorResponses(anyRequest) },
};

const meOperation: Operation = {
  operationId: 'readMe',
  summary: 'Who the caller is',
  description:
    'What is held about the caller, beside what the presented token says. The first call registers it.',
  tags: [caller],
  ...anyToken,
  responses: { 200: ok('The caller.', schemas.caller), ...errorResponses(anyBearer) },
};

const limitedRead: readonly ErrorCode[] = [...anyBearer, 'read_limit_reached'];

const eraseOperation: Operation = {
  operationId: 'eraseMe',
  summary: 'Erase everything held about the caller',
  description: 'All records, counts and the caller itself, at once and for good. The answer is the receipt.',
  tags: [caller],
  ...anyToken,
  responses: {
    200: { ...ok('What was erased.', schemas.erased), headers: budget('reads') },
    ...errorResponses(limitedRead),
  },
};

const usageOperation: Operation = {
  operationId: 'readUsage',
  summary: 'What the caller has used of its limits',
  tags: [caller],
  ...anyToken,
  responses: {
    200: { ...ok('Used and allowed, for each collection.', schemas.usage), headers: budget('reads') },
    ...errorResponses(limitedRead),
  },
};

const exportOperation: Operation = {
  operationId: 'exportMe',
  summary: 'Everything held about the caller',
  description:
    'One JSON object on each line: first the caller ("type": "consumer"), then each record ("type": "record"), and at the end their number ("type": "end"). Without that last line the export is not complete.',
  tags: [caller],
  ...anyToken,
  responses: {
    200: {
      description: 'The export.',
      headers: budget('reads'),
      content: { 'application/x-ndjson': { schema: { type: 'string' } } },
    },
    ...errorResponses(limitedRead),
  },
};

const credentials: Schema = {
  type: 'object',
  required: ['client_id', 'client_secret'],
  properties: { client_id: { type: 'string' }, client_secret: { type: 'string' } },
};

const grant: Schema = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { const: 'client_credentials' },
    scope: { type: 'string', description: 'Of the scopes of the client; all of them by default.' },
    client_id: { type: 'string' },
    client_secret: { type: 'string' },
    client_assertion_type: { const: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
    client_assertion: { type: 'string', description: 'A JWT that the client signed with a key of its own.' },
  },
};

const tokenOperation: Operation = {
  operationId: 'issueToken',
  summary: 'A token for a machine client',
  description:
    'JSON with id and secret, or a form as RFC 6749 has it, with HTTP Basic, client_secret or client_assertion. The answer is in the language of the request.',
  tags: [tokens],
  security: [{}, { clientBasic: [] }],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: credentials,
        example: { client_id: 'reports', client_secret: 'the secret of the client' },
      },
      'application/x-www-form-urlencoded': { schema: grant, example: { grant_type: 'client_credentials' } },
    },
  },
  responses: {
    200: ok('The token.', { oneOf: [schemas.issuedToken, schemas.issuedOAuthToken] }),
    ...errorResponses([
      ...anyRequest,
      'credentials_missing',
      'credentials_wrong',
      'credentials_too_many_failures',
      'oauth_request_invalid',
      'oauth_grant_not_supported',
      'oauth_scope_invalid',
      'oauth_client_wrong',
      'oauth_too_many_failures',
      'signing_overloaded',
      'overloaded',
      'storage_unavailable',
    ]),
  },
};

const keysOperation: Operation = {
  operationId: 'readKeys',
  summary: 'The keys that verify the tokens of POST /token',
  tags: [tokens],
  ...publicly,
  responses: { 200: ok('A key set (RFC 7517).', schemas.keySet), ...errorResponses(anyRequest) },
};

const authorizationServerOperation: Operation = {
  operationId: 'readAuthorizationServer',
  summary: 'How to get a token here',
  tags: [tokens],
  ...publicly,
  responses: { 200: ok('Metadata (RFC 8414).', schemas.authorizationServer), ...errorResponses(anyRequest) },
};

const protectedResourceOperation: Operation = {
  operationId: 'readProtectedResource',
  summary: 'Whose tokens are taken here',
  tags: [tokens],
  ...publicly,
  responses: { 200: ok('Metadata (RFC 9728).', schemas.protectedResource), ...errorResponses(anyRequest) },
};

const openapiOperation: Operation = {
  operationId: 'readOpenapi',
  summary: 'This description',
  tags: [about],
  ...publicly,
  responses: {
    200: ok('An OpenAPI document.', {
      type: 'object',
      required: ['openapi', 'info', 'paths'],
      properties: { openapi: { const: '3.1.1' }, info: { type: 'object' }, paths: { type: 'object' } },
      additionalProperties: true,
    }),
    ...errorResponses(anyRequest),
  },
};

const docsOperation: Operation = {
  operationId: 'readDocs',
  summary: 'This description as a page',
  tags: [about],
  ...publicly,
  responses: {
    200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
    ...errorResponses(anyRequest),
  },
};

const docsStyleOperation: Operation = {
  operationId: 'readDocsStyle',
  summary: 'How that page looks',
  tags: [about],
  ...publicly,
  responses: {
    200: { description: 'A stylesheet.', content: { 'text/css': { schema: { type: 'string' } } } },
    ...errorResponses(anyRequest),
  },
};

function ok(description: string, schema: Schema): Response {
  return { description, content: { 'application/json': { schema } } };
}
