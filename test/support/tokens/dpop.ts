import assert from 'node:assert/strict';
import {
  constants,
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  type webcrypto,
} from 'node:crypto';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { type Reply, request } from '../http/request.ts';
import { base64url } from './forged-token.ts';

type Members = Readonly<Record<string, unknown>>;

export interface DpopKey {
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly jwk: webcrypto.JsonWebKey;
  readonly thumbprint: string;
}

const makers: Readonly<Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export function newDpopKey(algorithm = 'ES256', make = makers[algorithm]): DpopKey {
  const { privateKey, publicKey } = make?.() ?? assert.fail(algorithm);
  const jwk = publicKey.export({ format: 'jwk' }) as webcrypto.JsonWebKey;
  return { algorithm, privateKey, jwk, thumbprint: thumbprintOf(jwk) };
}

/** RFC 7638. */
export function thumbprintOf({ kty, crv, x, y, e, n }: webcrypto.JsonWebKey): string {
  const members = { EC: { crv, kty, x, y }, OKP: { crv, kty, x }, RSA: { e, kty, n } }[String(kty)];
  return sha256(JSON.stringify(members));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export interface Proving {
  readonly method: string;
  readonly url: string;
  readonly token?: string;
  readonly nonce?: string | null;
}

export interface ProofChanges {
  /** Undefined takes a member away. */
  readonly header?: Members;
  readonly claims?: Members;
  readonly signedBy?: DpopKey;
}

/** A good proof, unless a test changes it. Made by hand, because no library makes bad ones. */
export function proofBy(key: DpopKey, proving: Proving, changes: ProofChanges = {}): string {
  const header = { typ: 'dpop+jwt', alg: key.algorithm, jwk: key.jwk, ...changes.header };
  const claims = {
    jti: randomUUID(),
    htm: proving.method,
    htu: proving.url,
    iat: Math.floor(Date.now() / 1000),
    ...(proving.token === undefined ? {} : { ath: sha256(proving.token) }),
    ...(proving.nonce ? { nonce: proving.nonce } : {}),
    ...changes.claims,
  };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  return `${signed}.${signatureOf(signed, String(header.alg), (changes.signedBy ?? key).privateKey)}`;
}

function signatureOf(signed: string, algorithm: string, key: KeyObject): string {
  if (algorithm === 'none') return '';
  if (algorithm === 'HS256') return createHmac('sha256', 'secret').update(signed).digest('base64url');
  const hash = algorithm.startsWith('E') && !algorithm.startsWith('ES') ? null : `sha${algorithm.slice(2)}`;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = algorithm.startsWith('PS') ? pss : { dsaEncoding: 'ieee-p1363' as const };
  return sign(hash, Buffer.from(signed), { key, ...options }).toString('base64url');
}

export function withProof(url: string, token: string, proof: string, init: RequestInit = {}): Promise<Reply> {
  const headers = { ...init.headers, authorization: `DPoP ${token}`, dpop: proof };
  return request(url, { ...init, headers });
}

/** A 403 about a proof: one challenge, of DPoP, with that error, and the fault in a word. */
export function assertProofRefused(reply: Reply, code: ErrorCode, fault: string | null): void {
  assert.equal(reply.status, 403, reply.text);
  const problem = reply.json();
  assert.deepEqual([problem.code, problem.proof_fault ?? null], [code, fault]);
  const error = code === 'proof_nonce_required' ? 'use_dpop_nonce' : 'invalid_dpop_proof';
  const challenge = String(reply.headers.get('www-authenticate'));
  const start = `^DPoP realm="vestibule", error="${error}", error_description="[^"]+", `;
  assert.match(challenge, new RegExp(start));
  assert.match(challenge, /, algs="ES256 EdDSA Ed25519 PS256 RS256"$/);
  assert.doesNotMatch(challenge, /Bearer/);
}
