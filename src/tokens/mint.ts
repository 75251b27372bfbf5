import { randomUUID, type SignKeyObjectInput, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { Lane } from '../base/lane.ts';
import type { SigningAlgorithm, SigningKey } from './signing-key.ts';

interface Grant {
  readonly clientId: string;
  /** By which of its credentials the client is known: a token is worth nothing once they are removed. */
  readonly credentialId: string;
  readonly scopes: readonly string[];
}

interface MintOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly ttlSeconds: number;
  readonly keys: { current(): SigningKey };
  /** Signatures take milliseconds: so many at once, each on a thread of the platform's pool. */
  readonly lane: Lane;
  readonly clock: Clock;
}

/** Signs an access token (RFC 9068) for a client. */
export type Mint = (grant: Grant) => Promise<string>;

const signAside = promisify(sign);

/** RFC 7518 section 3 and RFC 8037, in the platform's words. */
const schemes: Readonly<
  Record<SigningAlgorithm, { hash: string | null; options: Omit<SignKeyObjectInput, 'key'> }>
> = {
  RS256: { hash: 'sha256', options: {} },
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { hash: null, options: {} },
};

export function createMint({ issuer, audience, ttlSeconds, keys, lane, clock }: MintOptions): Mint {
  return ({ clientId, credentialId, scopes }) =>
    lane.run(async () => {
      // Not before it is its turn: a token lives from the moment it is made.
      const { kid, algorithm, privateKey } = keys.current();
      const issuedAt = Math.floor(clock.now() / 1000);
      const claims = {
        iss: issuer,
        sub: clientId,
        aud: audience,
        exp: issuedAt + ttlSeconds,
        iat: issuedAt,
        jti: `${credentialId}.${randomUUID()}`,
        client_id: clientId,
        ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
      };
      const signed = `${encode({ alg: algorithm, typ: 'at+jwt', kid })}.${encode(claims)}`;
      const { hash, options } = schemes[algorithm];
      const signature = await signAside(hash, Buffer.from(signed), { ...options, key: privateKey });
      return `${signed}.${signature.toString('base64url')}`;
    });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
