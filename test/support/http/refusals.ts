import assert from 'node:assert/strict';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { canaryWords } from '../faults/canaries.ts';
import type { Reply } from './request.ts';

/** The challenge that names no error, of a service with the usual BASE_URL (RFC 9728). */
export const plainChallenge =
  'Bearer realm="vestibule", resource_metadata="http://127.0.0.1/vestibule/.well-known/oauth-protected-resource"';

/** What the service adds to a bearer challenge (RFC 9449 section 7.1). */
export const dpopChallenge = 'DPoP algs="ES256 EdDSA Ed25519 PS256 RS256"';

/** A challenge without it: servers with the verifier in front do not have it. */
export function bearerPart(challenge: string | null): string {
  return (challenge ?? '').replace(`, ${dpopChallenge}`, '');
}

/** The RFC 6750 `error` attribute where it is not `invalid_token`; null = no attribute at all. */
const errorAttributes: Partial<Record<ErrorCode, string | null>> = {
  token_missing: null,
  authorization_malformed: 'invalid_request',
  insufficient_scope: 'insufficient_scope',
};

/** A 403 as it must be: problem document, stable code, challenge, not stored anywhere, nothing of `sent` in it. */
export function assertRefused(reply: Reply, code: ErrorCode, sent: string): void {
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.headers.get('content-type'), 'application/problem+json');
  assert.match(reply.headers.get('cache-control') ?? '', /(^|, )no-store(,|$)/);
  const problem = reply.json();
  const own = code === 'insufficient_scope' ? ['scope'] : [];
  assert.deepEqual(Object.keys(problem).sort(), ['code', ...own, 'status', 'title', 'type']);
  assert.equal(problem.code, code);
  assert.equal(problem.status, 403);
  assert.equal(problem.type, `urn:vestibule:error:${code}`);
  assertChallenge(bearerPart(reply.headers.get('www-authenticate')), code);
  assertNoEcho(reply, sent);
}

function assertChallenge(challenge: string, code: ErrorCode): void {
  // Attributes as RFC 6750 section 3 writes them: quoted, and without quotes or backslashes inside.
  assert.match(challenge, /^Bearer [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(, [a-z_]+="[^"\\]*")*$/);
  const attributes = new Map(
    [...challenge.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  assert.ok(attributes.has('realm'));
  const expected = errorAttributes[code] === undefined ? 'invalid_token' : errorAttributes[code];
  assert.equal(attributes.get('error') ?? null, expected);
  assert.equal(attributes.has('error_description'), expected !== null);
  assert.match(challenge, /, resource_metadata="https?:[^"]+\/\.well-known\/oauth-protected-resource"$/);
}

/** Nothing that was sent, and nothing that can be decoded from it, is anywhere in the answer. */
export function assertNoEcho(reply: Reply, sent: string): void {
  // The service's own address is public, so it does not count as an echo of the token.
  const headers = [...reply.headers].flat().join('\n');
  const answer = `${headers.replace(/resource_metadata="[^"]*"/, '')}\n${reply.text}`;
  for (const part of partsOf(sent)) {
    assert.ok(!answer.includes(part), `the answer repeats ${JSON.stringify(part)} of the request: ${answer}`);
  }
}

/** Shorter parts would be found in an answer by chance. */
const shortestPart = 8;

function partsOf(sent: string): ReadonlySet<string> {
  const segments = sent.split(/[.\s,"]/);
  const decoded = segments.flatMap((segment) => leaves(decodeJson(segment)));
  const long = [...segments, ...decoded].filter((part) => part.length >= shortestPart);
  return new Set([...long, ...canaryWords]);
}

function decodeJson(segment: string): unknown {
  try {
    return JSON.parse(Buffer.from(segment, 'base64url').toString());
  } catch {
    return null;
  }
}

function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves);
  return [String(value)];
}

export function authFailures(metrics: string): Record<string, number> {
  const lines = metrics.matchAll(/^vestibule_auth_failures_total\{reason="([a-z_]+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, reason, count]) => [reason, Number(count)]));
}
