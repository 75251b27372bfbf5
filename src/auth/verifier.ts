import type { Verification } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { rememberLast } from '../base/remember-last.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { checkClaims } from './claims.ts';
import { type CompactToken, jsonObject, parseCompact } from './compact.ts';
import { checkType, readHeader } from './header.ts';
import { chooseIssuer, type TrustedIssuer } from './issuers.ts';
import { signatureHolds } from './signature.ts';
import { SignatureQueue } from './signature-queue.ts';

export type Verify = ReturnType<typeof createVerifier>;
/** What the signature and the claims of a token were found to say, and what it was verified against. */
export type Verified = Awaited<ReturnType<Verify>>;

/**
 * parse -> header -> issuer -> key -> signature -> claims. Nothing is said of the claims until the signature holds. Answers
 * with whom a token speaks for and what it was verified against, or rejects with the refusal that says why not.
 */
export function createVerifier(
  issuers: readonly TrustedIssuer[],
  clock: Clock,
  signatures = new SignatureQueue(),
) {
  const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));
  const headerOf = rememberLast((segment: string) => readHeader(jsonObject(segment), algorithms));

  return async (text: string, origin: RequestOrigin) => {
    const token = parseCompact(text);
    const { kid, algorithm, type } = headerOf(token.header);
    const issuer = chooseIssuer(issuers, token.unverifiedPayload.iss);
    if (!issuer.algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
    checkType(type, issuer.requireAtJwt);
    // Taken before the key: should the keys change meanwhile, what is verified now is not remembered as valid.
    const generation = issuer.keys.generation();
    const found = issuer.keys.find(kid, algorithm, () => looksRight(token, issuer, clock));
    const key = found instanceof Promise ? await found : found;
    if (key === undefined) throw new Refusal('key_unknown');
    const holds = await signatures.run(() => signatureHolds(token, key, algorithm), origin);
    if (!holds) throw new Refusal('signature_invalid');
    const claims = checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);
    const verification: Verification = { keys: issuer.keys, generation };
    return { claims, payload: token.unverifiedPayload, verification };
  };
}

/** Would the claims do, if the signature held? Decides whether the provider is asked for a key, and nothing else. */
function looksRight(token: CompactToken, issuer: TrustedIssuer, clock: Clock): boolean {
  try {
    checkClaims(token.unverifiedPayload, issuer.claims, clock.now() / 1000);
    return true;
  } catch {
    return false;
  }
}
