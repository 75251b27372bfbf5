import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { catalogue, type ErrorCode } from '../../../src/base/errors.ts';
import type { Schema } from '../../../src/collections/collection.ts';
import type { OpenApiDocument } from '../../../src/openapi/document.ts';
import type { ApiOperation, Header, Method, Response } from '../../../src/openapi/openapi-types.ts';
import { follow } from './follow.ts';

/** What a service answered to a request, as far as its document speaks of it. */
export interface Exchange {
  readonly method: string;
  /** As it was sent, with or without a query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Error codes that any request can get, documented or not. */
const anywhere: readonly ErrorCode[] = [
  ...(['bad_request', 'https_required', 'not_found', 'method_not_allowed', 'request_timeout'] as const),
  ...(['body_too_large', 'media_type_not_supported', 'headers_too_large', 'shutting_down'] as const),
];

/** A document to check answers against. Compiled schemas are cached. */
export class Documented {
  readonly document: OpenApiDocument;
  readonly #operations: readonly { readonly form: RegExp; readonly path: string }[];
  readonly #ajv = formats.default(new Ajv2020({ strict: false, multipleOfPrecision: 6 }));
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv.addSchema(document, 'document');
    this.#operations = Object.keys(document.paths)
      // A literal path wins over a template.
      .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
      .map((path) => ({
        path,
        form: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      }));
  }

  /** The path of the document that an address belongs to. */
  pathOf(address: string): string | undefined {
    const path = decoded(address.split(/[?#]/)[0] ?? '');
    return this.#operations.find(({ form }) => form.test(path))?.path;
  }

  assert(exchange: Exchange): void {
    const { method, path } = exchange;
    const documentedPath = this.pathOf(path);
    const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase() as Method;
    const operation = documentedPath === undefined ? undefined : this.document.paths[documentedPath]?.[asked];
    if (method === 'OPTIONS' && exchange.status === 204) return;
    if (operation === undefined) {
      this.#assertAnywhere(exchange);
      return;
    }
    const response = this.#responseOf(operation, exchange);
    this.#assertHeaders(response, exchange);
    if (method !== 'HEAD') this.#assertBody(operation.operationId, response, exchange);
  }

  #assertAnywhere(exchange: Exchange): void {
    const what = title(exchange);
    if (exchange.method === 'HEAD') return;
    assert.equal(mediaType(exchange), 'application/problem+json', `${what} is in no document`);
    const { code, status } = JSON.parse(exchange.body);
    assert.ok(anywhere.includes(code), `${what} is in no document, and says ${code}`);
    assert.equal(status, exchange.status, what);
    this.#assertFits('problem', { $ref: '#/components/schemas/Problem' }, JSON.parse(exchange.body), what);
  }

  #responseOf(operation: ApiOperation, exchange: Exchange): Response {
    const { default: general } = operation.responses;
    const told = operation.responses[exchange.status] ?? (exchange.status >= 400 ? general : undefined);
    if (told === undefined) {
      assert.fail(`${title(exchange)}: ${operation.operationId} documents no such status. ${exchange.body}`);
    }
    return '$ref' in told ? (follow(told.$ref, this.document) as Response) : told;
  }

  #assertHeaders({ headers = {} }: Response, exchange: Exchange): void {
    for (const [name, told] of Object.entries(headers)) {
      const { required } = '$ref' in told ? (follow(told.$ref, this.document) as Header) : told;
      assert.ok(!required || exchange.headers.has(name), `${title(exchange)}: no ${name}`);
    }
  }

  #assertBody(operationId: string, { content }: Response, exchange: Exchange): void {
    const what = title(exchange);
    if (content === undefined) {
      assert.equal(exchange.body, '', `${what}: a body where none is documented`);
      return;
    }
    const type = mediaType(exchange);
    const media = content[type];
    assert.ok(media !== undefined, `${what}: "${type}" is not documented`);
    const value =
      type.endsWith('json') && !type.endsWith('ndjson') ? JSON.parse(exchange.body) : exchange.body;
    this.#assertFits(`${operationId} ${exchange.status} ${type}`, media.schema, value, what);
    // `default` has the codes of several statuses.
    const { code } = type.includes('problem') ? value : {};
    if (code !== undefined)
      assert.equal(catalogue[code as ErrorCode].status, exchange.status, `${what}: ${code}`);
  }

  #assertFits(name: string, schema: Schema, value: unknown, what: string): void {
    let check = this.#checks.get(name);
    if (check === undefined) {
      check = this.#ajv.compile(inDocument(closed(schema)) as Schema);
      this.#checks.set(name, check);
    }
    if (check(value)) return;
    assert.fail(
      `${what} is not as documented: ${this.#ajv.errorsText(check.errors)}. ${JSON.stringify(value)}`,
    );
  }
}

/** A member that is not documented is a mistake, although callers are told to expect more of them one day. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const { properties, items, oneOf, anyOf, ...rest } = schema as Schema;
  const isOpen = rest.additionalProperties === undefined;
  const saysMembers = properties !== undefined || rest.allOf !== undefined || rest.$ref !== undefined;
  const mapAll = (list: unknown) => (Array.isArray(list) ? list.map(closed) : list);
  const members = Object.entries((properties ?? {}) as Schema).map(([name, each]) => [name, closed(each)]);
  return {
    ...rest,
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...(items !== undefined && { items: closed(items) }),
    ...(oneOf !== undefined && { oneOf: mapAll(oneOf) }),
    ...(anyOf !== undefined && { anyOf: mapAll(anyOf) }),
    ...(isOpen && saysMembers && { unevaluatedProperties: false }),
  };
}

/** References that lead into the document, for a schema that is compiled by itself. */
function inDocument(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDocument);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, value]) =>
    key === '$ref' ? [key, String(value).replace('#/', 'document#/')] : [key, inDocument(value)],
  );
  return Object.fromEntries(parts);
}

/** The same address can be written in many ways. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function title({ method, path, status }: Exchange): string {
  return `${status} to ${method} ${path.slice(0, 200)}`;
}

function mediaType({ headers }: Exchange): string {
  return headers.get('content-type')?.split(';')[0] ?? '';
}
