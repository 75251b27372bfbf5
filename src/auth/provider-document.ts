import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';
import { jsonObject, parseCompact } from './compact.ts';
import { readHeader } from './header.ts';
import { chooseIssuer, type KeySource } from './issuers.ts';
import { signatureHolds } from './signature.ts';
import type { SignatureQueue, TokenOrigin } from './signature-queue.ts';

/** Whoever signs documents that are no access tokens: a provider that tells of sessions. */
export interface DocumentSource {
  readonly keys: KeySource;
  readonly algorithms: ReadonlySet<string>;
  readonly claims: { readonly issuers: readonly string[] };
}

/**
 * The check of one kind of document. `type` is its `typ` in small letters, undefined where it has none; the check throws
 * when the claims do not do. It is also asked before the signature holds, to decide whether a key is worth fetching; what
 * it says then goes nowhere.
 */
type Check<Source, Said> = (claims: JsonObject, source: Source, type: string | undefined) => Said;

/**
 * parse -> header -> issuer -> key -> signature -> claims, as for access tokens (auth/verifier), with the same keys, the
 * same guard against invented key names and the same turns for signatures. Answers with what `check` makes of the claims.
 */
export function createOpenDocument<Source extends DocumentSource, Said>(
  sources: readonly Source[],
  check: Check<Source, Said>,
  signatures: SignatureQueue,
) {
  const algorithms = new Set(sources.flatMap((source) => [...source.algorithms]));

  return async (text: string, origin: TokenOrigin): Promise<{ source: Source; said: Said }> => {
    const token = parseCompact(text);
    const { kid, algorithm, type } = readHeader(jsonObject(token.header), algorithms);
    const { unverifiedPayload: claims } = token;
    const source = chooseIssuer(sources, claims.iss);
    if (!source.algorithms.has(algorithm)) throw new Refusal('algorithm_not_allowed');
    const looksRight = () => {
      try {
        check(claims, source, type);
        return true;
      } catch {
        return false;
      }
    };
    const key = await source.keys.find(kid, algorithm, looksRight);
    if (key === undefined) throw new Refusal('key_unknown');
    const holds = await signatures.run(() => signatureHolds(token, key, algorithm), origin);
    if (!holds) throw new Refusal('signature_invalid');
    return { source, said: check(claims, source, type) };
  };
}
