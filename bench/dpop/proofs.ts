import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import type { Request } from '../shared/load.ts';
import { mePath } from '../shared/stage.ts';

/** A caller with a key of its own, and the token that is bound to it. */
export interface BoundCaller {
  readonly key: KeyObject;
  readonly header: string;
  readonly token: string;
  readonly ath: string;
}

/** So many keys; who signs the tokens is told their thumbprints. */
export async function boundCallers(
  count: number,
  signToken: (caller: number, claims: object) => Promise<string>,
): Promise<readonly BoundCaller[]> {
  const callers = Array.from({ length: count }, async (_, caller) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    const token = await signToken(caller, { cnf: { jkt: sha256(JSON.stringify({ crv, kty, x, y })) } });
    const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } });
    return { key: privateKey, header, token, ath: sha256(token) };
  });
  return Promise.all(callers);
}

/** So many requests of all callers in turn, each with a proof of its own. They count for a minute. */
export function boundRequests(origin: string, callers: readonly BoundCaller[], count: number): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const { key, header, token, ath } = callers[index % callers.length] as BoundCaller;
    const claims = {
      jti: randomUUID(),
      htm: 'GET',
      htu: `${origin}${mePath}`,
      iat: Math.floor(Date.now() / 1000),
      ath,
    };
    const signed = `${header}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return { method: 'GET', path: mePath, token, proof: `${signed}.${signature.toString('base64url')}` };
  });
}

/** A proof as far as its signature needs it. */
export interface SignedProof {
  /** In base64url; the same in all proofs of a key. */
  readonly header: string;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

export function readProof(proof: string): SignedProof {
  const end = proof.lastIndexOf('.');
  return {
    header: proof.slice(0, proof.indexOf('.')),
    signed: Buffer.from(proof.slice(0, end)),
    signature: Buffer.from(proof.slice(end + 1), 'base64url'),
  };
}

export function signatureHolds({ signed, signature }: SignedProof, key: KeyObject): boolean {
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
