import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { allTokens, documentWith } from '../../docs/openapi-document.ts';
import { catalogue, type ErrorCode } from '../../src/base/errors.ts';
import {
  type ApiOperation,
  type Header,
  methods,
  type Parameter,
  type Reference,
  type Response,
} from '../../src/openapi/openapi-types.ts';
import { PartsInUse } from '../../src/openapi/shared-parts.ts';
import type { TokenTerms } from '../../src/openapi/token-terms.ts';
import { follow } from '../support/http/follow.ts';
import {
  awkward,
  everything,
  shipped,
  smallest,
  twelve,
  unusual,
} from '../support/services/unusual-declarations.ts';

const about = { version: '1.2.3', baseUrl: 'https://api.example.org/base' };
const document = documentWith([...unusual, ...shipped], about);
const root = '/api/consumer/v1';

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ path, method, operation }];
  }),
);

/** A shared part is where its reference leads. */
function found<T>(part: T | Reference, within: object = document): T {
  const { $ref } = part as Reference;
  return $ref === undefined ? (part as T) : (follow($ref, within) as T);
}

function responseTo(operation: ApiOperation | undefined, status: number, within = document): Response {
  const told = operation?.responses[status] ?? (status < 400 ? undefined : operation?.responses.default);
  assert.ok(told !== undefined, `${operation?.operationId} ${status}`);
  return found(told, within);
}

function allCodesOf(operation: ApiOperation | undefined, status: number, within = document) {
  const { content } = responseTo(operation, status, within);
  const { properties } = content?.['application/problem+json']?.schema ?? {};
  return (properties as { code: { enum: ErrorCode[] } }).code.enum;
}

/** `default` also has codes of other statuses. */
function codesOf(...of: Parameters<typeof allCodesOf>): readonly ErrorCode[] {
  return allCodesOf(...of).filter((code) => catalogue[code].status === of[1]);
}

describe('the OpenAPI document', () => {
  it('names the server URL and the version', () => {
    assert.equal(document.openapi, '3.1.1');
    assert.deepEqual(document.servers, [{ url: about.baseUrl }]);
    assert.equal(document.info.version, about.version);
  });

  it('has a unique operationId for every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]+$/);
  });

  it('has every operation of a collection, including its actions', () => {
    const path = `${root}/every-thing-1`;
    const found = operations.filter((each) => each.path === path || each.path.startsWith(`${path}/`));
    const names = found.map((each) => `${each.method} ${each.path.slice(path.length)}`);
    assert.deepEqual(names, [
      ...['get ', 'post ', 'get /count', 'get /{id}', 'put /{id}', 'patch /{id}', 'delete /{id}'],
      ...['post /{id}/submit', 'post /{id}/cancel', 'post /{id}/approve-it'],
    ]);
  });

  it('has the declared schema of fields and the schema of a record', () => {
    const { schemas } = document.components;
    assert.deepEqual(schemas['x.fields'], { ...smallest.schema, examples: [{ text: 'text' }] });
    assert.deepEqual(schemas['x.record'], {
      type: 'object',
      required: ['id', 'created_at', 'updated_at'],
      properties: {
        id: {
          type: 'string',
          format: 'uuid',
          description: 'Created by the service, or by the caller that creates the record.',
        },
        text: { type: 'string', maxLength: 280 },
        created_at: { type: 'string', format: 'date-time' },
        updated_at: { type: 'string', format: 'date-time' },
      },
      additionalProperties: false,
    });
    const { required, properties } = schemas['every-thing-1.record'] as {
      required: string[];
      properties: Record<string, object>;
    };
    assert.deepEqual(required.slice(-4), ['state', 'actions', 'created_at', 'updated_at']);
    assert.deepEqual(properties.state, {
      type: ['string', 'null'],
      enum: ['draft', 'submitted', 'approved', 'cancelled', null],
    });
  });

  it('makes every field optional in a patch, and optional fields nullable', () => {
    const { required, properties } = document.components.schemas['every-thing-1.patch'] as {
      required?: string[];
      properties: Record<string, object>;
    };
    assert.equal(required, undefined);
    assert.deepEqual(properties.seats, { type: 'integer', minimum: 1, maximum: 8 });
    assert.deepEqual(properties.note, { type: ['string', 'null'], maxLength: 500, 'x-personal': true });
    assert.deepEqual(properties.kind, { anyOf: [{ enum: ['big', 'small'] }, { type: 'null' }] });
  });

  const namesIn = (operation?: ApiOperation) =>
    operation?.parameters?.map((each) => found<Parameter>(each).name);

  it('offers only the declared filters and sort orders', () => {
    const list = document.paths[`${root}/every-thing-1`]?.get;
    const names = namesIn(list);
    const ranges = (name: string) => [name, ...['gt', 'gte', 'lt', 'lte'].map((each) => `${name}[${each}]`)];
    assert.deepEqual(names, [
      ...['limit', 'cursor', 'sort', 'mine', 'state'],
      ...['created_at', 'slot', 'seats', 'price', 'paid'].flatMap(ranges),
    ]);
    const plain = namesIn(document.paths[`${root}/x`]?.get);
    assert.deepEqual(plain, ['limit', 'cursor', 'sort', 'mine', ...ranges('created_at')]);
  });

  it('lists only error codes that have the documented status', () => {
    for (const { operation } of operations) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        if (
          !(status >= 400) ||
          responseTo(operation, status).content?.['application/problem+json'] === undefined
        )
          continue;
        for (const code of allCodesOf(operation, status)) assert.equal(catalogue[code].status, status, code);
      }
    }
  });

  it('documents an error only where it can occur', () => {
    const { put, post } = { ...document.paths[`${root}/x/{id}`], ...document.paths[`${root}/x`] };
    const demanding = document.paths[`${root}/every-thing-1/{id}`];
    assert.equal(put?.responses[428], undefined);
    assert.deepEqual(codesOf(demanding?.put, 428), ['precondition_required']);
    assert.ok(codesOf(put, 403).includes('client_not_admitted'));
    assert.ok(!codesOf(put, 403).includes('not_owner'));
    assert.ok(codesOf(demanding?.put, 403).includes('not_owner'));
    assert.ok(!codesOf(demanding?.put, 403).includes('client_not_admitted'));
    assert.deepEqual(codesOf(put, 409), ['quota_exceeded']);
    assert.ok(codesOf(demanding?.put, 409).includes('not_editable'));
    assert.deepEqual(codesOf(post, 422), ['validation_failed', 'idempotency_key_reused']);
  });

  it('names a status of its own only where it says something about the operation', () => {
    const { get, post } = document.paths[`${root}/x`] ?? {};
    assert.deepEqual(Object.keys(get?.responses ?? {}), ['200', '400', 'default']);
    assert.deepEqual(Object.keys(post?.responses ?? {}), ['201', '409', '422', 'default']);
    assert.deepEqual(codesOf(get, 415), ['media_type_not_supported']);
    assert.ok(codesOf(get, 403).includes('token_expired'));
  });

  it('has a plain summary for each operation of a collection', () => {
    const words = operations.filter(({ path }) => path.startsWith(`${root}/bookings`));
    const summaries = words.map(({ operation }) => operation.summary);
    assert.deepEqual(summaries, [
      ...['List bookings', 'Create a booking', 'Count bookings', 'Read a booking'],
      ...['Replace the fields of a booking', 'Change some fields of a booking', 'Delete a booking'],
      ...['Submit a booking', 'Cancel a booking', 'Approve a booking'],
    ]);
  });

  it('names records by the title of their collection, unless it is no English plural', () => {
    const summaries = [
      ['Entries', 'Create an entry'],
      ['Users', 'Create a user'],
      ['API keys', 'Create an API key'],
      ['Things to lend', 'Create a record'],
      ['Buchungen', 'Create a record'],
    ] as const;
    for (const [title, summary] of summaries) {
      const { paths } = documentWith([{ ...everything, title }], {
        version: '1',
        baseUrl: 'https://a.example',
      });
      assert.equal(paths[`${root}/${everything.name}`]?.post?.summary, summary);
    }
  });

  it('shares every parameter, header and response', () => {
    for (const { operation } of operations) {
      for (const each of [...(operation.parameters ?? []), ...Object.values(operation.responses)])
        assert.ok('$ref' in each && follow(each.$ref, document) !== undefined, operation.operationId);
    }
    for (const { headers = {} } of Object.values(document.components.responses))
      for (const header of Object.values(headers)) assert.ok('$ref' in header);
  });

  it('names a shared part alike, whatever else there is', () => {
    const alone = documentWith([smallest], about);
    assert.deepEqual(alone.paths[`${root}/x`], document.paths[`${root}/x`]);
  });

  it('never takes one part for another', () => {
    const parts = new PartsInUse();
    const all = Array.from({ length: 3000 }, (_, index) => ({ description: `${index}` }));
    const shared = all.map((part) => parts.share('responses', '200', part));
    assert.ok(shared.some((part) => !('$ref' in part)));
    for (const [index, part] of shared.entries())
      assert.deepEqual(found(part, { components: parts }), all[index]);
  });

  it('has at most 250 kB for twelve collections', () => {
    assert.equal(twelve.length, 12);
    const bytes = Buffer.byteLength(JSON.stringify(documentWith(twelve, about)));
    assert.ok(bytes <= 250_000, `${bytes} bytes`);
  });

  it('documents every code of the catalogue when all settings are on', () => {
    const everywhere = { ...about, tokens: allTokens };
    const { paths, components } = documentWith([...unusual, ...shipped], everywhere);
    const text = JSON.stringify(paths) + JSON.stringify(components.responses);
    const isForNobody = (code: string) => ['not_found', 'method_not_allowed'].includes(code);
    for (const [code, entry] of Object.entries(catalogue)) {
      if ('emptyBody' in entry || isForNobody(code)) continue;
      const name = 'oauthError' in entry ? entry.oauthError : code;
      assert.ok(text.includes(`"${name}"`), code);
    }
  });

  it('marks a deprecated collection in every operation and answer', () => {
    const isOf =
      (name: string) =>
      ({ operation }: (typeof operations)[number]) =>
        operation.tags.includes(name);
    for (const { operation } of operations.filter(isOf('every-thing-1'))) {
      assert.equal(operation.deprecated, true);
      const { headers } = responseTo(
        operation,
        operation.responses[200] ? 200 : operation.responses[201] ? 201 : 204,
      );
      for (const name of ['Deprecation', 'Sunset'])
        assert.ok(found<Header>(headers?.[name] ?? assert.fail(name)).required, operation.operationId);
    }
    for (const { operation } of operations.filter(isOf('x'))) assert.equal(operation.deprecated, undefined);
  });

  it('has the security requirement of each operation', () => {
    const ways = (...scopes: string[]) => [{ bearer: scopes }, { dpop: scopes, dpopProof: [] }];
    assert.deepEqual(document.paths[`${root}/x`]?.get?.security ?? document.security, ways());
    const { get, post } = document.paths[`${root}/every-thing-1`] ?? {};
    assert.deepEqual(get?.security, [...ways('things.read'), { client: ['things.read'] }]);
    assert.deepEqual(post?.security, [...ways('things.write'), { client: ['things.write'] }]);
    for (const path of [root, '/openapi.json', '/docs', '/.well-known/jwks.json']) {
      assert.deepEqual(document.paths[path]?.get?.security, [], path);
    }
  });

  it('describes the limits', () => {
    const create = document.paths[`${root}/every-thing-1`]?.post;
    assert.match(
      create?.description ?? '',
      /50 records of at most 4096 bytes each, 30\/min writes, .*5\/d for 7d.* 90d after/,
    );
  });
});

describe('DPoP in the OpenAPI document', () => {
  const usual = { dpop: 'on', nonce: false } as const;
  const withTerms = (terms: Partial<TokenTerms>) =>
    documentWith([smallest], { ...about, tokens: { ...usual, ...terms } });
  const security = (terms: Partial<TokenTerms>, path: string, method: 'get' | 'post' = 'get') =>
    withTerms(terms).paths[path]?.[method]?.security;
  const me = `${root}/me`;

  it('is not mentioned with DPOP=off', () => {
    assert.doesNotMatch(JSON.stringify(withTerms({ dpop: 'off' })), /dpop|proof_|9449/i);
    assert.deepEqual(security({ dpop: 'off' }, me), [{ bearer: [] }, { client: [] }]);
    assert.deepEqual(security({ dpop: 'off' }, '/token', 'post'), [{}, { clientBasic: [] }]);
  });

  it('requires the scheme together with the proof header', () => {
    const { dpop, dpopProof } = withTerms({}).components.securitySchemes as Record<
      string,
      Record<string, string>
    >;
    assert.deepEqual([dpop?.type, dpop?.scheme], ['http', 'dpop']);
    assert.deepEqual([dpopProof?.type, dpopProof?.in, dpopProof?.name], ['apiKey', 'header', 'DPoP']);
    assert.deepEqual(security({}, '/token', 'post'), [
      {},
      { clientBasic: [] },
      { dpopProof: [] },
      { clientBasic: [], dpopProof: [] },
    ]);
    assert.deepEqual(security({}, '/revoke', 'post'), [{}, { clientBasic: [] }]);
  });

  it('removes plain bearer tokens with DPOP=required', () => {
    const dpop = 'required';
    const bound = [
      { dpop: [], dpopProof: [] },
      { client: [], dpopProof: [] },
    ];
    assert.deepEqual(security({ dpop }, me), bound);
    assert.ok(!('bearer' in withTerms({ dpop }).components.securitySchemes));
    assert.deepEqual(security({ dpop }, '/token', 'post'), [
      { dpopProof: [] },
      { clientBasic: [], dpopProof: [] },
    ]);
  });

  it('lists a proof error only where the settings make it possible', () => {
    const codes = (terms: Partial<TokenTerms>) => {
      const within = withTerms(terms);
      return codesOf(within.paths[me]?.get, 403, within).filter((code) => code.startsWith('proof_'));
    };
    assert.deepEqual(codes({}), ['proof_invalid', 'proof_replayed']);
    assert.deepEqual(codes({ nonce: true }), ['proof_invalid', 'proof_replayed', 'proof_nonce_required']);
    assert.deepEqual(codes({ dpop: 'required' }), ['proof_required', 'proof_invalid', 'proof_replayed']);
  });

  it('documents DPoP-Nonce on answers of protected operations only', () => {
    assert.doesNotMatch(JSON.stringify(withTerms({})), /nonce/i);
    const within = withTerms({ nonce: true });
    const { paths } = within;
    const tells = (path: string, method: 'get' | 'post', status: number) =>
      'DPoP-Nonce' in (responseTo(paths[path]?.[method], status, within).headers ?? {});
    for (const status of [200, 403, 429, 503]) assert.ok(tells(me, 'get', status), `${status}`);
    for (const status of [200, 400, 401]) assert.ok(tells('/token', 'post', status), `${status}`);
    assert.ok(!tells('/openapi.json', 'get', 200));
  });

  it('assumes neither a single provider nor a single token scheme', () => {
    assert.doesNotMatch(JSON.stringify(document), /the identity provider|Bearer <token>".\}/);
    const { schema } = responseTo(document.paths['/token']?.post, 200).content?.['application/json'] ?? {};
    assert.match(JSON.stringify(schema), /after the scheme that \\"token_type\\" names/);
  });
});

describe('examples in the OpenAPI document', () => {
  const ajv = formats.default(new Ajv2020({ strict: false, multipleOfPrecision: 6 }));
  ajv.addSchema(document, 'document');
  const media = operations.flatMap(({ operation }) => {
    const answers = Object.values(operation.responses).map((told) => found<Response>(told).content);
    return [operation.requestBody?.content, ...answers].flatMap((content) =>
      Object.values(content ?? {}).map((each) => ({ id: operation.operationId, ...each })),
    );
  });

  it('are valid against their schemas', () => {
    const told = media.filter(({ example }) => example !== undefined);
    const fields = Object.entries(document.components.schemas).flatMap(([id, schema]) =>
      ((schema.examples ?? []) as unknown[]).map((example) => ({ id, schema, example })),
    );
    assert.ok(told.length > 3 && fields.length > 5);
    for (const { id, schema, example } of [...told, ...fields]) {
      const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
      assert.ok(ajv.validate(inDocument, example), `${id}: ${ajv.errorsText()} ${JSON.stringify(example)}`);
    }
  });

  it('show every field for which an example can be generated', () => {
    const { examples } = document.components.schemas['every-thing-1.fields'] ?? {};
    const all = Object.keys(everything.schema.properties as object).filter((name) => name !== 'code');
    assert.deepEqual(Object.keys((examples as object[])[0] ?? {}), all);
  });

  it('are left out where none can be generated', () => {
    const schema = document.components.schemas[`${awkward.name}.fields`];
    assert.ok(schema !== undefined && !('examples' in schema));
  });
});
