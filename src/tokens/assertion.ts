import { hash } from 'node:crypto';
import { namedAudience, type RequestOrigin } from '../base/caller.ts';
import { type Clock, type ConfirmedTime, clockToleranceSeconds, hasBegun } from '../base/clock.ts';
import type { AssertionStore } from '../storage/port.ts';

/** Parses a signed JWT and checks its signature, not its claims. Null if it is no such JWT. */
type OpenSigned = (text: string) => {
  /** `typ` in lower case without `application/`; undefined without one. */
  readonly type: string | undefined;
  readonly unverifiedClaims: Readonly<Record<string, unknown>>;
  /** True if a key of that JWKS (in JSON) signed it. */
  signedBy(keys: string, origin: RequestOrigin): Promise<boolean>;
} | null;

export type CheckAssertion = ReturnType<typeof createCheckAssertion>;

interface CheckAssertionOptions {
  readonly openSigned: OpenSigned;
  readonly store: AssertionStore;
  /** The accepted audiences: each of these means this service. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly time: ConfirmedTime;
}

const toleranceMs = clockToleranceSeconds * 1000;
/** The longest lifetime of an assertion. Used assertions are stored until they expire. */
const longestLifeMs = 600_000;
const longestJti = 256;
/** Most clients send `JWT` or no type; the revision of RFC 7523 adds a type for assertions. */
const types: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'client-authentication+jwt']);

/** RFC 7523: a client that authenticates with its own key. */
export function createCheckAssertion({ openSigned, store, audiences, clock, time }: CheckAssertionOptions) {
  return (assertion: string) => {
    const signed = openSigned(assertion);
    const claims = signed?.unverifiedClaims ?? {};
    return {
      clientId: typeof claims.sub === 'string' ? claims.sub : '',
      /** True if the assertion is for this service, has not expired, and is signed with one of these keys. */
      isSignedBy: async (publicKeys: string | null, origin: RequestOrigin) =>
        publicKeys !== null &&
        types.has(signed?.type) &&
        expiryOf(claims, audiences, clock.now()) !== null &&
        (await signed?.signedBy(publicKeys, origin)) === true,
      /** True the first time only, across all processes. */
      async use(): Promise<boolean> {
        const expiresAt = expiryOf(claims, audiences, clock.now());
        if (expiresAt === null) return false;
        const digest = hash('sha256', claims.jti as string, 'buffer');
        return store.use(claims.sub as string, digest, expiresAt + toleranceMs, time.now());
      },
    };
  };
}

/** When an assertion expires, in milliseconds; null if it is not acceptable now. */
function expiryOf(
  { iss, sub, aud, exp, nbf, iat, jti }: Readonly<Record<string, unknown>>,
  audiences: readonly string[],
  now: number,
): number | null {
  if (iss !== sub || typeof jti !== 'string' || jti === '' || jti.length > longestJti) return null;
  if (namedAudience(aud, audiences) === undefined) return null;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return null;
  if (!hasBegun(nbf, now / 1000) || !hasBegun(iat, now / 1000)) return null;
  // A claim may be a fraction of a second; the database stores whole milliseconds.
  const expiresAt = Math.ceil(exp * 1000);
  return expiresAt > now - toleranceMs && expiresAt <= now + longestLifeMs + toleranceMs ? expiresAt : null;
}
