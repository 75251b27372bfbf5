import { type KeyObject, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../base/clock.ts';
import { json, type PublicHandler } from '../base/handler.ts';
import { type SigningKey, signingAlgorithm } from './signing-keys.ts';

interface OwnIssuerOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly ttlSeconds: number;
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly clock: Clock;
}

/** Signs an access token for a client. The signature is made on a thread of the platform's pool. */
export type Mint = (clientId: string) => Promise<string>;

export function createMint({ issuer, audience, ttlSeconds, keys, clock }: OwnIssuerOptions): Mint {
  const [current] = keys;
  return (clientId) => {
    const issuedAt = Math.floor(clock.now() / 1000);
    const claims = {
      iss: issuer,
      sub: clientId,
      aud: audience,
      exp: issuedAt + ttlSeconds,
      iat: issuedAt,
      jti: randomUUID(),
      client_id: clientId,
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid: current.kid })
      .sign(current.privateKey);
  };
}

/** Our own keys, for verifying our own tokens. */
export function ownKeySource(keys: readonly SigningKey[]) {
  const byKid = new Map<string | undefined, KeyObject>(keys.map((key) => [key.kid, key.publicKey]));
  return {
    find(kid: string | undefined, algorithm: string): KeyObject | undefined {
      return algorithm === signingAlgorithm ? byKid.get(kid) : undefined;
    },
    generation: () => 1,
  };
}

/** GET /.well-known/jwks.json, so that anyone can verify our tokens. */
export function publishedKeys(keys: readonly SigningKey[]): PublicHandler {
  const published = { keys: keys.map(({ publicJwk }) => publicJwk) };
  const answer = json(published, { cacheControl: 'public, max-age=300' });
  return () => answer;
}
