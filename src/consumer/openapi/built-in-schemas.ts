import type { Schema } from '../collections/collection.ts';

/** What the built-in routes answer with. */

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const count = { type: 'integer', minimum: 0 };
const uri = { type: 'string', format: 'uri' };
const dateTime = { type: 'string', format: 'date-time' };
const maybe = (schema: { readonly type: string }) => ({ ...schema, type: [schema.type, 'null'] });

/** An object with these members, each of which is always there unless it is named as one that need not be. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

export const issuedToken = object({
  token: { ...text, description: 'A JWT. Send it as "Authorization: Bearer <token>".' },
  token_type: { const: 'Bearer' },
});

export const issuedOAuthToken = object(
  {
    access_token: text,
    token_type: { const: 'Bearer' },
    expires_in: { ...count, description: 'In seconds.' },
    scope: { ...text, description: 'The scopes of the token; absent when it has none.' },
  },
  ['scope'],
);

export const keySet = object({
  keys: {
    type: 'array',
    items: {
      ...object({ kty: text, kid: text, alg: text, use: text }),
      description: 'A public key (RFC 7517); which further members it has depends on "kty".',
      additionalProperties: text,
    },
  },
});

export const authorizationServer = object({
  issuer: uri,
  token_endpoint: uri,
  jwks_uri: uri,
  grant_types_supported: texts,
  response_types_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  token_endpoint_auth_signing_alg_values_supported: texts,
});

export const protectedResource = object(
  { resource: uri, authorization_servers: texts, bearer_methods_supported: texts, scopes_supported: texts },
  ['scopes_supported'],
);

export const caller = object({
  id: { ...maybe(text), description: 'The pseudonym, the only name under which anything is kept.' },
  kind: { enum: ['user', 'client'] },
  registered_at: { ...maybe(dateTime), description: 'When this caller was first seen.' },
  issuer: text,
  subject: { ...maybe(text), description: '"sub" of the token. It is not kept.' },
  audience: text,
  scopes: texts,
  token: object({ issued_at: maybe(dateTime), expires_at: dateTime }),
});

const allowed = { used: count, allowed: count };
const window = { ...allowed, window_seconds: count, resets_at: dateTime };

export const usage = object({
  collections: {
    type: 'array',
    items: object({
      name: text,
      records: object(allowed),
      writes: object(window),
      newcomer: {
        anyOf: [object({ ...window, until: dateTime }), { type: 'null' }],
        description: 'Null for whoever has been here long enough.',
      },
    }),
  },
});

export const erased = object({
  erased_at: dateTime,
  records: {
    type: 'object',
    additionalProperties: count,
    description: 'How many of each collection.',
  },
  total: count,
  idempotency_keys: count,
  budgets_kept_until: {
    anyOf: [dateTime, { type: 'null' }],
    description:
      'Until then it is kept, under a keyed digest that leads back to nobody, how much of its budgets the caller had spent; null when nothing is kept.',
  },
});

const rate = { count: { type: 'integer', minimum: 1 }, window_seconds: count };

const limits = object({
  per_user: { ...count, description: 'Records of one caller.' },
  bytes: { ...count, description: 'Of the JSON of a record.' },
  writes: object(rate),
  newcomer: { anyOf: [object({ ...rate, for_seconds: count }), { type: 'null' }] },
  expire_seconds: { ...maybe(count), description: 'After the last change; null is never.' },
});

const transition = object({ to: text, by: { enum: ['owner', 'client', 'any'] } });
const byAction = { type: 'object', additionalProperties: transition };

const collection = object(
  {
    name: text,
    title: text,
    description: text,
    href: { ...text, description: 'The path of the collection.' },
    schema: { type: 'object', description: 'The JSON Schema of the fields.', additionalProperties: true },
    index: { ...texts, description: 'What lists can be filtered and sorted by, besides created_at.' },
    initial: { ...text, description: 'The state of a new record.' },
    states: { type: 'object', description: 'By state, then by action.', additionalProperties: byAction },
    editable: { ...texts, description: 'The states in which the fields can be changed.' },
    access: object({
      read: { enum: ['owner', 'everyone'] },
      clients: { enum: ['none', 'own', 'any'], description: 'What clients of POST /token may reach.' },
      scopes: object({ read: maybe(text), write: maybe(text) }),
    }),
    concurrency: { enum: ['optional', 'required'], description: 'Whether a change needs If-Match.' },
    limits,
    deprecated: object({ since: dateTime, sunset: maybe(dateTime), link: maybe(uri) }),
  },
  ['description', 'initial', 'states', 'editable', 'deprecated'],
);

export const overview = object({
  collections: { type: 'array', items: collection },
  links: { type: 'object', description: 'The paths of what else there is.', additionalProperties: text },
});
