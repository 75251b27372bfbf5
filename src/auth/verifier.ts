import type { Verification } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { checkClaims } from './claims.ts';
import { checkType } from './header.ts';
import type { TrustedIssuer } from './issuers.ts';
import { createOpenSigned } from './jws.ts';
import { SignatureQueue } from './signature-queue.ts';

export type Verify = ReturnType<typeof createVerifier>;
/** The claims of a token whose signature holds, and the keys that it was verified with. */
export type Verified = Awaited<ReturnType<Verify>>;

/** parse -> header -> issuer -> key -> signature -> claims. Rejects with the first refusal. */
export function createVerifier(
  issuers: readonly TrustedIssuer[],
  clock: Clock,
  signatures = new SignatureQueue(),
) {
  const check = (claims: JsonObject, issuer: TrustedIssuer) =>
    checkClaims(claims, issuer.claims, clock.now() / 1000);
  /** A key is fetched only for a token whose claims would pass. */
  const looksRight = (claims: JsonObject, issuer: TrustedIssuer) => {
    try {
      check(claims, issuer);
      return true;
    } catch {
      return false;
    }
  };
  const open = createOpenSigned(
    issuers,
    (issuer, { kid, algorithm, type }, claims) => {
      checkType(type, issuer.requireAtJwt);
      return issuer.keys.find(kid, algorithm, () => looksRight(claims, issuer));
    },
    signatures,
  );
  return async (text: string, origin: RequestOrigin) => {
    const { issuer, generation, claims: payload } = await open(text, origin);
    const verification: Verification = { keys: issuer.keys, generation };
    return { claims: check(payload, issuer), payload, verification };
  };
}
