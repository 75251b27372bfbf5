import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { builtInDocument } from '../../docs/openapi-document.ts';
import type { OpenApiDocument } from '../../src/openapi/document.ts';
import { breakingChanges } from './breaking.ts';

describe('docs/api/openapi.json', () => {
  it('equals the document generated from the code', () => {
    assert.equal(readFileSync('docs/api/openapi.json', 'utf8'), builtInDocument());
  });

  it('has no breaking change since docs/api/openapi-v1.json', () => {
    const released = JSON.parse(readFileSync('docs/api/openapi-v1.json', 'utf8'));
    assert.deepEqual(breakingChanges(released, JSON.parse(builtInDocument())), []);
  });
});

/** A small document with one of everything that can be removed. */
const released = {
  paths: {
    '/things': {
      get: {
        operationId: 'list',
        security: [{ bearer: ['read'] }, { client: [] }],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200 } },
          { name: 'sort', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } },
        ],
        responses: {
          200: {
            headers: { ETag: { required: true, schema: { type: 'string' } } },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['items'],
                  properties: {
                    items: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
                    next: { type: ['string', 'null'] },
                  },
                },
              },
            },
          },
          404: { $ref: '#/components/responses/nothing' },
          429: { $ref: '#/components/responses/late' },
          413: { content: {} },
        },
      },
      post: {
        operationId: 'create',
        security: [],
        requestBody: {
          required: false,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['text'],
                properties: {
                  text: { type: 'string', maxLength: 100 },
                  kind: { enum: ['big', 'small'] },
                  size: { type: 'number', minimum: 0 },
                  tags: { type: 'array', items: { type: 'string', maxLength: 10 } },
                },
              },
            },
          },
        },
        responses: { 201: { content: {} }, 413: { content: {} } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
    responses: {
      nothing: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
      late: {
        content: { 'application/problem+json': { schema: { properties: { code: { enum: ['too_many'] } } } } },
      },
    },
  },
};

type Released = typeof released;
/** Any part of the copy may be changed into anything. */
// biome-ignore lint/suspicious/noExplicitAny: the point is to break the types as well
type Change = (copy: any, parts: { list: any; ok: any; create: any; body: any; thing: any }) => void;

function after(change: Change): readonly string[] {
  const copy = structuredClone(released) as Released;
  const { get: list, post: create } = copy.paths['/things'];
  change(copy, {
    list,
    create,
    ok: list.responses[200],
    body: create.requestBody.content['application/json'].schema,
    thing: copy.components.schemas.Thing,
  });
  const asDocument = (document: object) => document as OpenApiDocument;
  return breakingChanges(asDocument(released), asDocument(copy));
}

/** By the sentences that tell of them. */
const breaking: Readonly<Record<string, Change>> = {
  'GET /things is gone; POST /things is gone': (copy) => delete copy.paths['/things'],
  'POST /things is gone': (copy) => delete copy.paths['/things'].post,
  'GET /things is called all': (_, { list }) => (list.operationId = 'all'),
  'GET /things does not open to client any more': (_, { list }) => list.security.pop(),
  'GET /things does not open to bearer any more': (_, { list }) =>
    (list.security[0].bearer = ['read', 'more']),
  'POST /things does not open to everybody any more': (_, { create }) => (create.security = [{ bearer: [] }]),
  'GET /things: query sort is gone': (_, { list }) => list.parameters.pop(),
  'GET /things: query limit is required': (_, { list }) => (list.parameters[0].required = true),
  'GET /things: query q is required': (_, { list }) =>
    list.parameters.push({ name: 'q', in: 'query', required: true, schema: {} }),
  'GET /things: query limit has maximum 100': (_, { list }) => (list.parameters[0].schema.maximum = 100),
  'GET /things: query sort does not take "b" any more': (_, { list }) => list.parameters[1].schema.enum.pop(),
  'POST /things: a body is required': (_, { create }) => (create.requestBody.required = true),
  'POST /things: a body of application/json is not taken any more': (_, { create }) =>
    (create.requestBody.content = {}),
  'POST /things body/size is required': (_, { body }) => body.required.push('size'),
  'POST /things body takes no further members any more; POST /things body/size is not taken any more': (
    _,
    { body },
  ) => {
    delete body.properties.size;
    body.additionalProperties = false;
  },
  'POST /things body/size takes no number any more': (_, { body }) => (body.properties.size.type = 'integer'),
  'POST /things body/kind does not take "big" any more': (_, { body }) => body.properties.kind.enum.shift(),
  'POST /things body/text has maxLength 99': (_, { body }) => (body.properties.text.maxLength = 99),
  'POST /things body/text has another pattern': (_, { body }) => (body.properties.text.pattern = '^a'),
  'POST /things body/tags/[] has maxLength 9': (_, { body }) => (body.properties.tags.items.maxLength = 9),
  'POST /things 413 is gone': (_, { create }) => delete create.responses[413],
  'GET /things 404 is gone': (_, { list }) => delete list.responses[404],
  'GET /things 429 is gone': (copy, { list }) => {
    delete list.responses[429];
    list.responses.default = copy.components.responses.nothing;
  },
  'GET /things: query limit has maximum 9': (copy, { list }) => {
    copy.components.parameters = {
      limit: { ...list.parameters[0], schema: { type: 'integer', minimum: 1, maximum: 9 } },
    };
    list.parameters[0] = { $ref: '#/components/parameters/limit' };
  },
  'GET /things 200: application/json is gone': (_, { ok }) => (ok.content = {}),
  'GET /things 404: application/problem+json is gone': (copy) =>
    (copy.components.responses.nothing.content = {}),
  'GET /things 200: the header ETag is gone': (_, { ok }) => delete ok.headers.ETag,
  'GET /things 200: the header ETag may be missing': (_, { ok }) => delete ok.headers.ETag.required,
  'GET /things 200/items/[]/id is gone': (_, { thing }) => delete thing.properties.id,
  'GET /things 200/items/[]/id may be missing': (_, { thing }) => (thing.required = []),
  'GET /things 200/items/[]/id is of another type': (_, { thing }) => (thing.properties.id.type = 'integer'),
  'GET /things 200/items/[]/id is of another format': (_, { thing }) => delete thing.properties.id.format,
  'GET /things 200/items/[]/at/anyOf 0 is of another type': (_, { thing }) =>
    (thing.properties.at.anyOf[0].type = 'integer'),
};

const harmless: Readonly<Record<string, Change>> = {
  'no change': () => {},
  'a new path': (copy) => (copy.paths['/more'] = {}),
  'a new method': (copy, { create }) => (copy.paths['/things'].put = create),
  'a new security alternative': (_, { list }) => list.security.push({ other: [] }),
  'a removed scope': (_, { list }) => (list.security[0].bearer = []),
  'a new parameter': (_, { list }) => list.parameters.push({ name: 'q', in: 'query', schema: {} }),
  'a higher maximum of a parameter': (_, { list }) => (list.parameters[0].schema.maximum = 500),
  'a new choice': (_, { body }) => body.properties.kind.enum.push('huge'),
  'a new member of the body': (_, { body }) => (body.properties.more = { type: 'string' }),
  'a member of the body that becomes optional': (_, { body }) => (body.required = []),
  'a higher maxLength in the body': (_, { body }) => (body.properties.text.maxLength = 1000),
  'a further type in the body': (_, { body }) => (body.properties.text.type = ['string', 'null']),
  'a removed 413 on an operation without a body': (_, { list }) => delete list.responses[413],
  'a new status': (_, { list }) => (list.responses[410] = { content: {} }),
  'a new header': (_, { ok }) => (ok.headers.Age = { schema: { type: 'string' } }),
  'a new member of the answer': (_, { thing }) => (thing.properties.more = { type: 'string' }),
  'a member of an answer that becomes required': (_, { thing }) => thing.required.push('at'),
  'a member of an answer that is no longer nullable': (_, { ok }) =>
    (ok.content['application/json'].schema.properties.next.type = 'string'),
  'parts that are shared': (copy, { list, ok }) => {
    copy.components.parameters = { limit: list.parameters[0] };
    list.parameters[0] = { $ref: '#/components/parameters/limit' };
    copy.components.headers = { ETag: ok.headers.ETag };
    ok.headers.ETag = { $ref: '#/components/headers/ETag' };
    copy.components.responses.page = ok;
    list.responses[200] = { $ref: '#/components/responses/page' };
  },
  'a status that "default" covers': (copy, { list }) => {
    delete list.responses[429];
    list.responses.default = copy.components.responses.late;
  },
  'the security of the whole document': (copy, { list }) => {
    copy.security = list.security;
    delete list.security;
  },
  'changed descriptions': (_, { list, thing }) => {
    list.description = 'New.';
    thing.properties.id.description = 'New.';
  },
};

describe('breaking changes', () => {
  for (const [sentences, change] of Object.entries(breaking))
    it(`breaking: ${sentences}`, () => assert.deepEqual(after(change), sentences.split('; ')));
  it('breaking: a member of an answer that becomes nullable', () => {
    const change: Change = (_, { thing }) => (thing.properties.id.type = ['string', 'null']);
    assert.deepEqual(after(change), ['GET /things 200/items/[]/id is of another type']);
  });
  for (const [what, change] of Object.entries(harmless))
    it(`harmless: ${what}`, () => assert.deepEqual(after(change), []));
});
