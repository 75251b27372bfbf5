import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { QueueCapacity } from '../base/queue-capacity.ts';
import { scopeMember } from '../base/scopes.ts';
import { type SigningKey, sign } from './signing-key.ts';

interface Grant {
  readonly clientId: string;
  /** By which of its credentials the client is known: a token is worth nothing once they are removed. */
  readonly credentialId: string;
  readonly scopes: readonly string[];
  /** Of the key that the token is bound to; null for a plain bearer token. */
  readonly thumbprint: string | null;
}

interface MintOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly ttlSeconds: number;
  readonly keys: { current(): SigningKey };
  /** Signatures take milliseconds: so many at once, and so many in line. */
  readonly limit: ConcurrencyLimit;
  readonly clock: Clock;
}

export type Mint = (grant: Grant) => Promise<string>;

export function createMint({ issuer, audience, ttlSeconds, keys, limit, clock }: MintOptions): Mint {
  return ({ clientId, credentialId, scopes, thumbprint }) =>
    limit.run(async () => {
      // Not before it is its turn: a token lives from the moment it is made.
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

/** The event loop learns once in a turn which signatures are done: with fewer at once the thread pool would wait for it. */
const atOnce = 32;
export const mostWaiting = 1_000;

/** Signatures take most of what a token costs: so many at once, and so many in line. */
export function createSigningLimit(clock: Clock): ConcurrencyLimit {
  return new ConcurrencyLimit({
    running: atOnce,
    waiting: new QueueCapacity({ most: mostWaiting, least: atOnce, clock }),
    refusal: 'signing_overloaded',
  });
}
