import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { ConcurrencyLimit, QueueCapacity } from '../base/concurrency-limit.ts';
import { scopeMember } from '../base/scopes.ts';
import { type SigningKey, sign } from './signing-key.ts';

interface Grant {
  readonly clientId: string;
  /** The credential that the client authenticated with: when it is removed, the token is refused. */
  readonly credentialId: string;
  readonly scopes: readonly string[];
  /** The thumbprint of the key that the token is bound to; null for a plain bearer token. */
  readonly thumbprint: string | null;
}

interface MintOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly ttlSeconds: number;
  readonly keys: { current(): SigningKey };
  /** Signatures take milliseconds: the number that run concurrently, and that wait. */
  readonly limit: ConcurrencyLimit;
  readonly clock: Clock;
}

export type Mint = (grant: Grant) => Promise<string>;

export function createMint({ issuer, audience, ttlSeconds, keys, limit, clock }: MintOptions): Mint {
  return ({ clientId, credentialId, scopes, thumbprint }) =>
    limit.run(async () => {
      // The times are set when signing begins, because the lifetime of the token begins then.
      const key = keys.current();
      const issuedAt = Math.floor(clock.now() / 1000);
      const claims = {
        iss: issuer,
        sub: clientId,
        aud: audience,
        exp: issuedAt + ttlSeconds,
        iat: issuedAt,
        jti: `${credentialId}.${randomUUID()}`,
        client_id: clientId,
        ...scopeMember(scopes),
        ...(thumbprint === null ? {} : { cnf: { jkt: thumbprint } }),
      };
      const signed = `${encode({ alg: key.algorithm, typ: 'at+jwt', kid: key.kid })}.${encode(claims)}`;
      return `${signed}.${await sign(key, signed)}`;
    });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The event loop learns once per turn which signatures are done: with fewer at once the thread pool would be idle. */
const atOnce = 32;
export const maxWaiting = 1_000;

/** Signing dominates the cost of a token, so concurrent and waiting signatures are bounded. */
export function createSigningLimit(clock: Clock): ConcurrencyLimit {
  return new ConcurrencyLimit({
    running: atOnce,
    waiting: new QueueCapacity({ max: maxWaiting, min: atOnce, clock }),
    refusal: 'signing_overloaded',
  });
}
