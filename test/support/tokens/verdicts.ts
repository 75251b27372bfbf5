import { JwtVerifier } from 'aws-jwt-verify';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { digestOf, TokenCache } from '../../../src/auth/authenticate.ts';
import type { KeySource } from '../../../src/auth/jws.ts';
import { readKeySet } from '../../../src/auth/key-set.ts';
import { createVerifier } from '../../../src/auth/verifier.ts';
import type { Caller, VerifiedToken } from '../../../src/base/caller.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { type ErrorCode, Refusal } from '../../../src/base/errors.ts';
import { createPseudonym } from '../../../src/consumer/pseudonym.ts';
import { trustedIssuer } from './claims-policy.ts';

export interface Policy {
  readonly issuers: readonly string[];
  readonly audience: string;
  readonly requiredScopes: readonly string[];
}

const toleranceSeconds = 5;
const pseudonymOf = createPseudonym(new Uint8Array(32));

/** What Vestibule's own verifier and token cache make of a token; anything but a refusal would be a 500 and is thrown. */
export async function ourVerdict(
  token: string,
  document: unknown,
  { issuers, audience, requiredScopes }: Policy,
): Promise<VerifiedToken | ErrorCode> {
  const set = readKeySet(document, ['RS256']);
  const keys: KeySource = {
    async find(kid, algorithm) {
      if (typeof set === 'string') throw new Refusal('keys_unavailable');
      return set.find(kid, algorithm);
    },
    generation: 1,
  };
  const trusted = trustedIssuer(keys, { issuers, audiences: [audience], requiredScopes });
  const cache = new TokenCache({
    verify: createVerifier([trusted], systemClock),
    callerOf: ({ claims }): Caller => ({ ...claims, id: pseudonymOf(claims), session: null }),
    dataOf: () => null,
    maxPlaces: 10,
    clock: systemClock,
  });
  try {
    const digest = digestOf(token);
    const verified = await cache.examine(digest, token, { address: '', isSuspect: () => false });
    if (cache.recall(digest) !== verified)
      throw new Error('a token that is remembered speaks for somebody else');
    return verified;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** The claims when a library takes the token, else why it does not. */
export type OracleVerdict = { readonly claims: Record<string, unknown> } | { readonly error: Error };

async function verdict(check: () => unknown): Promise<OracleVerdict> {
  try {
    return { claims: (await check()) as Record<string, unknown> };
  } catch (error) {
    return { error: error as Error };
  }
}

export function joseVerdict(token: string, document: unknown, policy: Policy): Promise<OracleVerdict> {
  const { issuers, audience } = policy;
  return verdict(async () => {
    const { payload } = await jwtVerify(token, createLocalJWKSet(document as JSONWebKeySet), {
      issuer: [...issuers],
      audience,
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
      clockTolerance: toleranceSeconds,
    });
    return payload;
  });
}

export function awsVerdict(token: string, document: unknown, policy: Policy): Promise<OracleVerdict> {
  const { issuers, audience } = policy;
  return verdict(() => {
    const jwksUri = 'https://provider.example/jwks';
    const each = issuers.map((issuer) => ({ issuer, audience, jwksUri, graceSeconds: toleranceSeconds }));
    const verifier = JwtVerifier.create(each);
    for (const issuer of issuers) verifier.cacheJwks(document as JSONWebKeySet as never, issuer);
    return verifier.verifySync(token);
  });
}
