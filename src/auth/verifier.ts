import type { Verification } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { checkClaims } from './claims.ts';
import { checkType } from './header.ts';
import type { TrustedIssuer } from './issuers.ts';
import { createOpenSigned } from './jws.ts';
import { SignatureQueue } from './signature-queue.ts';
import { type RunStep, untraced } from './trace.ts';

export type Verify = ReturnType<typeof createVerifier>;
/** The claims of a token whose signature holds, and the keys that it was verified with. */
export type Verified = Awaited<ReturnType<Verify>>;

/** parse -> header -> issuer -> key -> signature -> claims. Rejects with the first refusal. */
export function createVerifier(
  issuers: readonly TrustedIssuer[],
  clock: Clock,
  signatures = new SignatureQueue(),
) {
  const steps = createSteps(issuers, clock, signatures);
  return async (text: string, origin: RequestOrigin) => {
    const { issuer, generation, claims, payload } = await steps(text, origin, untraced);
    const verification: Verification = { keys: issuer.keys, generation };
    return { claims, payload, verification };
  };
}

/** The same steps with a trace, to explain the outcome: goes on after a refusal, and lets nobody in. */
export function createTracer<Issuer extends TrustedIssuer>(issuers: readonly Issuer[], clock: Clock) {
  const steps = createSteps(issuers, clock, new SignatureQueue());
  return (text: string, run: RunStep) => steps(text, { address: '', isSuspect: () => false }, run);
}

function createSteps<Issuer extends TrustedIssuer>(
  issuers: readonly Issuer[],
  clock: Clock,
  signatures: SignatureQueue,
) {
  const check = (claims: JsonObject, issuer: Issuer, run: RunStep) =>
    checkClaims(claims, issuer.claims, clock.now() / 1000, run);
  /** A key is fetched only for a token whose claims would pass. */
  const looksRight = (claims: JsonObject, issuer: Issuer) => {
    try {
      check(claims, issuer, untraced);
      return true;
    } catch {
      return false;
    }
  };
  const open = createOpenSigned<Issuer>({
    issuers,
    checkType: (type, { requireAtJwt }) => checkType(type, requireAtJwt),
    findKey: (issuer, { kid, algorithm }, claims) =>
      issuer.keys.find(kid, algorithm, () => looksRight(claims, issuer)),
    signatures,
  });
  return async (text: string, origin: RequestOrigin, run: RunStep) => {
    const { claims: payload, ...opened } = await open(text, origin, run);
    return { ...opened, payload, claims: check(payload, opened.issuer, run) };
  };
}
