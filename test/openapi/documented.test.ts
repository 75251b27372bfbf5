import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentWith } from '../../docs/openapi-document.ts';
import { Documented, type Exchange } from '../support/http/documented.ts';
import { everything, shipped, smallest } from '../support/services/unusual-declarations.ts';

const documented = new Documented(
  documentWith([smallest, everything, ...shipped], { version: '1.2.3', baseUrl: 'https://api.example.org' }),
);

const id = '6f9b2c1e-3d5a-4c7e-8b21-0a4f6d8e1c35';
const at = '2026-01-01T08:00:00.000Z';
const record = { id, text: 'hello', created_at: at, updated_at: at };
const problem = {
  type: 'urn:vestibule:error:not_found',
  title: 'There is nothing at this address.',
  status: 404,
  code: 'not_found',
};

interface Told extends Partial<Omit<Exchange, 'headers' | 'body'>> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer as it should be, unless told otherwise. */
function answered({ headers, body = record, ...told }: Told): Exchange {
  const usual = { 'content-type': 'application/json', etag: '"1"', 'events-position': '0' };
  return {
    method: 'GET',
    path: `/api/consumer/v1/x/${id}`,
    status: 200,
    headers: new Headers({ ...usual, ...headers }),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...told,
  };
}

function answeredProblem(told: Told = {}): Exchange {
  return answered({
    status: 404,
    body: problem,
    ...told,
    headers: { 'content-type': 'application/problem+json', ...told.headers },
  });
}

describe('Documented accepts', () => {
  const right: Readonly<Record<string, Exchange>> = {
    'a record': answered({}),
    'a record without optional fields': answered({ body: { ...record, text: undefined } }),
    'a record that is older than the states of its collection': answered({
      path: `/api/consumer/v1/bookings/${id}`,
      body: { id, slot: at, seats: 1, state: null, actions: [], created_at: at, updated_at: at },
    }),
    'a page of records': answered({
      path: '/api/consumer/v1/x?limit=1',
      body: { items: [record], next: 'more' },
    }),
    'an answer to HEAD': answered({ method: 'HEAD', body: '' }),
    'a 304': answered({ status: 304, body: '' }),
    'a problem': answeredProblem(),
    'a 404 problem at an undocumented address': answeredProblem({ path: '/nowhere' }),
    'a 405 at a documented address': answeredProblem({
      method: 'POST',
      status: 405,
      body: { ...problem, status: 405, code: 'method_not_allowed' },
    }),
    'a preflight': answered({ method: 'OPTIONS', status: 204, body: '' }),
  };
  for (const [what, exchange] of Object.entries(right)) it(what, () => documented.assert(exchange));
});

describe('Documented refuses', () => {
  const wrong: Readonly<Record<string, [Exchange, RegExp]>> = {
    'a member with the wrong type': [answered({ body: { ...record, text: 1 } }), /text must be string/],
    'a member with the wrong format': [
      answered({ body: { ...record, id: '1' } }),
      /id must match format "uuid"/,
    ],
    'a missing required member': [answered({ body: { ...record, created_at: undefined } }), /created_at/],
    'an undocumented member': [
      answered({ body: { ...record, owner: 'usr_1' } }),
      /NOT have (additional|unevaluated)/,
    ],
    'a page with an invalid record': [
      answered({ path: '/api/consumer/v1/x', body: { items: [{ ...record, id: 1 }], next: null } }),
      /items\/0\/id must be string/,
    ],
    'an undocumented status': [answered({ status: 202 }), /x_read documents no such status/],
    'a missing required header': [
      { ...answered({}), headers: new Headers({ 'content-type': 'application/json' }) },
      /no ETag/,
    ],
    'an undocumented content type': [
      answered({ headers: { 'content-type': 'text/html' } }),
      /"text\/html" is not documented/,
    ],
    'a body where none is documented': [answered({ status: 304 }), /a body where none is documented/],
    'a code that the operation does not document': [
      answeredProblem({ status: 403, body: { ...problem, status: 403, code: 'not_owner' } }),
      /code must be equal to one of/,
    ],
    'an undocumented member of a problem': [
      answeredProblem({ body: { ...problem, owner: 'usr_1' } }),
      /NOT have unevaluated properties/,
    ],
    'a problem without a code': [answeredProblem({ body: { ...problem, code: undefined } }), /code/],
    'a missing Deprecation header': [
      answered({ path: '/api/consumer/v1/every-thing-1', body: { items: [], next: null } }),
      /no Deprecation/,
    ],
    'an undocumented address': [answered({ path: '/hidden' }), /is in no document/],
    'an undocumented method': [answered({ method: 'PURGE' }), /is in no document/],
    'an undocumented address with an error other than 404 or 405': [
      answeredProblem({ path: '/hidden', status: 403, body: { ...problem, status: 403, code: 'not_owner' } }),
      /is in no document, and says not_owner/,
    ],
  };
  for (const [what, [exchange, reason]] of Object.entries(wrong)) {
    it(what, () => assert.throws(() => documented.assert(exchange), reason));
  }
});
