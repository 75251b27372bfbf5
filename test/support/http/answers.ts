import assert from 'node:assert/strict';
import { describe, type ErrorCode } from '../../../src/base/errors.ts';
import { canaryWords } from '../faults/canaries.ts';
import type { Reply } from './request.ts';

/** A problem document without a challenge: what a caller gets for anything but its token. */
export function assertProblem(reply: Reply, code: ErrorCode, what = ''): void {
  assertProblemWith(reply, code, {}, what);
  assert.equal(reply.json().detail, undefined, what);
  assert.match(reply.headers.get('cache-control') ?? '', /\bno-store\b/);
  assert.equal(reply.headers.get('www-authenticate'), null);
  assertNothingPersonal(reply);
}

/** How a client may authenticate, sent to a client that did not. */
export const clientChallenge = 'Basic realm="vestibule", charset="UTF-8"';

/** The empty JSON object of section 4.1, and nothing beside it. */
export function assertEmptyObject(reply: Reply, status: number, what: string): void {
  assertClientAnswer(reply, status, what);
  assert.equal(reply.text, '{}', what);
}

/** JSON for a client: kept nowhere, for no script to read, and a challenge if it is 401. */
export function assertClientAnswer({ status: answered, headers, text }: Reply, status: number, what: string) {
  const seen = {
    status: answered,
    type: headers.get('content-type'),
    cache: headers.get('cache-control'),
    origin: headers.get('access-control-allow-origin'),
    challenge: headers.get('www-authenticate'),
  };
  const challenge = status === 401 ? clientChallenge : null;
  const expected = { status, type: 'application/json', cache: 'no-store', origin: null, challenge };
  assert.deepEqual(seen, expected, `${what} ${text}`);
}

/** Nothing that the tests plant in tokens and headers is in the answer. */
export function assertNothingPersonal(reply: Reply, except: readonly string[] = []): void {
  const answer = `${[...reply.headers].flat().join('\n')}\n${reply.text}`;
  for (const word of canaryWords) {
    if (!except.includes(word)) assert.ok(!answer.includes(word), `"${word}" comes back`);
  }
}

export function assertProblemWith(
  reply: Reply,
  code: ErrorCode,
  members: Readonly<Record<string, unknown>>,
  what = '',
): void {
  const { status, sentence } = describe(code);
  assert.equal(reply.status, status, `${what} ${reply.text}`);
  assert.equal(reply.headers.get('content-type'), 'application/problem+json', what);
  const problem = { type: `urn:vestibule:error:${code}`, title: sentence, status, code, ...members };
  const { detail, ...found } = reply.json();
  assert.deepEqual('detail' in members ? { ...found, detail } : found, problem, what);
}

/** The parts of an answer that do not differ between requests. */
export function bytesOf({ status, headers, text }: Reply): unknown {
  const own = ['x-request-id', 'date', 'ratelimit'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), text };
}
