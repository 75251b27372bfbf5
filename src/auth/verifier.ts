import type { RequestOrigin, Verification } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { type ClaimsPolicy, checkClaims } from './claims.ts';
import { createOpenSigned, type SigningIssuer } from './jws.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { SignatureQueue } from './signature-queue.ts';
import { type RunStep, untraced } from './trace.ts';

/** An issuer of access tokens, with its own keys and rules. */
export interface TrustedIssuer extends SigningIssuer {
  readonly requireAtJwt: boolean;
  readonly claims: ClaimsPolicy;
}

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

/** The same steps with a trace, which goes on after a refusal, to explain the outcome. */
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
  const open = createOpenSigned<Issuer>({
    issuers,
    checkType,
    findKey: (issuer, { kid, algorithm }, claims) =>
      issuer.keys.find(kid, algorithm, () => succeeds(() => check(claims, issuer, untraced))),
    signatures,
  });
  return async (text: string, origin: RequestOrigin, run: RunStep) => {
    const { claims: payload, ...opened } = await open(text, origin, run);
    return { ...opened, payload, claims: check(payload, opened.issuer, run) };
  };
}

/** `at+jwt` is the type of access tokens (RFC 9068); most providers send `JWT` or no type. */
function checkType(type: string | undefined, { requireAtJwt }: TrustedIssuer): void {
  const allowed = type === 'at+jwt' || (!requireAtJwt && (type === undefined || type === 'jwt'));
  if (!allowed) throw new Refusal('token_type_not_allowed');
}

export function succeeds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

interface DocumentSource extends SigningIssuer {
  readonly keys: Pick<ProviderKeys, 'find' | 'generation' | 'secondsUntilRetry'>;
}

/**
 * Opens logout tokens with the keys and the signature queue of access tokens. `check` checks the claims; it also runs
 * before the signature is checked, to decide whether a key is worth fetching. Providers do not send a refused document
 * again, so one with an unknown key is put off (`keys_unavailable`) until the provider was asked for that key.
 */
export function createOpenDocument<Source extends DocumentSource, Said>(
  sources: readonly Source[],
  check: (claims: JsonObject, source: Source, type: string | undefined) => Said,
  signatures: SignatureQueue,
) {
  const open = createOpenSigned<Source>({
    issuers: sources,
    async findKey(source, { kid, algorithm, type }, claims) {
      const looksRight = () => succeeds(() => check(claims, source, type));
      const key = await source.keys.find(kid, algorithm, looksRight);
      if (key !== undefined) return key;
      const retryAfterSeconds = source.keys.secondsUntilRetry(kid);
      if (retryAfterSeconds === null || !looksRight()) return undefined;
      const detail = 'a document names a key that is not known yet';
      throw new Refusal('keys_unavailable', { detail, retryAfterSeconds });
    },
    signatures,
  });
  return async (text: string, origin: RequestOrigin): Promise<{ source: Source; said: Said }> => {
    const { issuer: source, header, claims } = await open(text, origin);
    return { source, said: check(claims, source, header.type) };
  };
}
