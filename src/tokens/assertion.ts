import { hash } from 'node:crypto';
import { namedAudience, type RequestOrigin } from '../base/caller.ts';
import { type Clock, clockToleranceSeconds, hasBegun } from '../base/clock.ts';
import type { ConfirmedTime } from '../base/confirmed-time.ts';
import type { AssertionStore } from '../storage/port.ts';

/** Takes a signed JWT apart and checks its signature; who it is from is not its business. Null when it is none. */
type OpenSigned = (text: string) => {
  /** `typ` in lower case without `application/`; undefined when absent. */
  readonly type: string | undefined;
  readonly unverifiedClaims: Readonly<Record<string, unknown>>;
  /** Whether a key of that JWKS (in JSON) signed it. */
  signedBy(keys: string, origin: RequestOrigin): Promise<boolean>;
} | null;

export type CheckAssertion = ReturnType<typeof createCheckAssertion>;

interface CheckAssertionOptions {
  readonly openSigned: OpenSigned;
  readonly store: AssertionStore;
  /** Any of these as the audience means us. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly time: ConfirmedTime;
}

const toleranceMs = clockToleranceSeconds * 1000;
/** Used assertions are remembered until they expire, so they may not be made for longer. */
const longestLifeMs = 600_000;
const longestJti = 256;
/** Most clients write `JWT`, or nothing; the revision of RFC 7523 has a type of its own for assertions. */
const types: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'client-authentication+jwt']);

/** RFC 7523: a client that proves itself with a key of its own. */
export function createCheckAssertion({ openSigned, store, audiences, clock, time }: CheckAssertionOptions) {
  return (assertion: string) => {
    const signed = openSigned(assertion);
    const claims = signed?.unverifiedClaims ?? {};
    return {
      clientId: typeof claims.sub === 'string' ? claims.sub : '',
      /** Whether it is meant for us, alive, and signed with one of these keys. */
      isSignedBy: async (publicKeys: string | null, origin: RequestOrigin) =>
        publicKeys !== null &&
        types.has(signed?.type) &&
        expiryOf(claims, audiences, clock.now()) !== null &&
        (await signed?.signedBy(publicKeys, origin)) === true,
      /** True the first time only, of all processes together. */
      async use(): Promise<boolean> {
        const expiresAt = expiryOf(claims, audiences, clock.now());
        if (expiresAt === null) return false;
        const digest = hash('sha256', claims.jti as string, 'buffer');
        return store.use(claims.sub as string, digest, expiresAt + toleranceMs, time.now());
      },
    };
  };
}

/** When an assertion ends, in milliseconds; null when it is not one that we take now. */
function expiryOf(
  { iss, sub, aud, exp, nbf, iat, jti }: Readonly<Record<string, unknown>>,
  audiences: readonly string[],
  now: number,
): number | null {
  if (iss !== sub || typeof jti !== 'string' || jti === '' || jti.length > longestJti) return null;
  if (namedAudience(aud, audiences) === undefined) return null;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return null;
  if (!hasBegun(nbf, now / 1000) || !hasBegun(iat, now / 1000)) return null;
  // A claim may be a fraction of a second; the database keeps whole milliseconds.
  const expiresAt = Math.ceil(exp * 1000);
  return expiresAt > now - toleranceMs && expiresAt <= now + longestLifeMs + toleranceMs ? expiresAt : null;
}
