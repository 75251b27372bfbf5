import assert from 'node:assert/strict';
import { describe, type ErrorCode } from '../../../src/base/errors.ts';
import type { Reply } from './request.ts';

/** A problem document of that code, whatever else it says; of its members, those named are as given. */
export function assertCode(
  reply: Reply,
  code: ErrorCode,
  members: Readonly<Record<string, unknown>> = {},
): void {
  const { status, text } = reply;
  assert.equal(reply.headers.get('content-type'), 'application/problem+json', `${status} ${text}`);
  const problem = reply.json();
  assert.deepEqual({ status, code: problem.code }, { status: describe(code).status, code }, text);
  for (const [name, value] of Object.entries(members)) assert.deepEqual(problem[name], value, name);
}

/** A 429 that says when to come back: within so many seconds, and at the earliest after so many. */
export function assertWait(reply: Reply, code: ErrorCode, least: number, most: number): number {
  assertCode(reply, code);
  assert.equal(reply.status, 429);
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= least && seconds <= most, `Retry-After: ${seconds}`);
  return seconds;
}
