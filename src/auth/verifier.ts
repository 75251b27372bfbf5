import type { RequestOrigin, Verification, VerifiedClaims } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/strict-json.ts';
import { type ClaimsPolicy, checkClaims } from './claims.ts';
import { createOpenSigned, type SigningIssuer } from './jws.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { SignatureQueue } from './signature-queue.ts';
import type { RunStep } from './trace.ts';

/** An issuer of access tokens, with its own keys and rules. */
export interface TrustedIssuer extends SigningIssuer {
  readonly requireAtJwt: boolean;
  readonly claims: ClaimsPolicy;
}

/** The claims of a token whose signature holds, and the keys that it was verified with. */
export interface Verified {
  readonly claims: VerifiedClaims;
  readonly payload: JsonObject;
  readonly verification: Verification;
}

/** Rejects with the first refusal. */
export type Verify = (text: string, origin: RequestOrigin) => Promise<Verified>;

export function createVerifier(
  issuers: readonly TrustedIssuer[],
  clock: Clock,
  signatures = new SignatureQueue(),
): Verify {
  return createOpen(issuers, clock, signatures);
}

/** The same steps with a trace, which goes on after a refusal, to explain the outcome. */
export function createTracer<Issuer extends TrustedIssuer>(issuers: readonly Issuer[], clock: Clock) {
  const open = createOpen(issuers, clock, new SignatureQueue());
  return (text: string, run: RunStep) => open(text, { address: '', isSuspect: () => false }, run);
}

function createOpen<Issuer extends TrustedIssuer>(
  issuers: readonly Issuer[],
  clock: Clock,
  signatures: SignatureQueue,
) {
  return createOpenSigned<Issuer, VerifiedClaims>({
    issuers,
    checkType,
    findKey: ({ keys }, { kid, algorithm }, looksRight) => keys.find(kid, algorithm, looksRight),
    check: (payload, { claims }, _header, run) => checkClaims(payload, claims, clock.now() / 1000, run),
    signatures,
  });
}

/** `at+jwt` is the type of access tokens (RFC 9068); most providers send `JWT` or no type. */
function checkType(type: string | undefined, { requireAtJwt }: TrustedIssuer): void {
  const allowed = type === 'at+jwt' || (!requireAtJwt && (type === undefined || type === 'jwt'));
  if (!allowed) throw new Refusal('token_type_not_allowed');
}

interface DocumentSource extends SigningIssuer {
  readonly keys: Pick<ProviderKeys, 'find' | 'generation' | 'secondsUntilRetry'>;
}

/**
 * Opens logout tokens with the keys and the signature queue of access tokens. Providers do not send a refused document
 * again, so one with an unknown key is put off (`keys_unavailable`) until the provider was asked for that key.
 */
export function createOpenDocument<Source extends DocumentSource, Said>(
  sources: readonly Source[],
  check: (claims: JsonObject, source: Source, type: string | undefined) => Said,
  signatures: SignatureQueue,
) {
  const open = createOpenSigned<Source, Said>({
    issuers: sources,
    async findKey({ keys }, { kid, algorithm }, looksRight) {
      const key = await keys.find(kid, algorithm, looksRight);
      if (key !== undefined) return key;
      const retryAfterSeconds = keys.secondsUntilRetry(kid);
      if (retryAfterSeconds === null || !looksRight()) return undefined;
      const detail = 'a document names a key that is not known yet';
      throw new Refusal('keys_unavailable', { detail, retryAfterSeconds });
    },
    check: (payload, source, { type }) => check(payload, source, type),
    signatures,
  });
  return async (text: string, origin: RequestOrigin): Promise<{ source: Source; said: Said }> => {
    const { issuer: source, claims: said } = await open(text, origin);
    return { source, said };
  };
}
