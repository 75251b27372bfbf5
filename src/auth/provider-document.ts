import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { createOpenSigned, type SigningIssuer } from './jws.ts';
import type { ProviderKeys } from './provider-keys.ts';
import type { SignatureQueue } from './signature-queue.ts';
import { succeeds } from './verifier.ts';

/** A provider that signs logout tokens. */
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
