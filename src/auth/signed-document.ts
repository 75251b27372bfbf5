import type { RequestOrigin } from '../base/request-origin.ts';
import { jsonObject, parseCompact } from './compact.ts';
import { readHeader } from './header.ts';
import { readKeySet } from './key-set.ts';
import { signatureHolds } from './signature.ts';
import type { SignatureQueue } from './signature-queue.ts';

/**
 * Takes a JWT apart that is signed with one of these algorithms, by somebody who has registered a key with us: what it
 * says, and whether one of those keys signed it. Null when it is none. The check waits for its turn like that of a token.
 */
export function signedDocumentOpener(algorithms: readonly string[], signatures: Pick<SignatureQueue, 'run'>) {
  const allowed = new Set(algorithms);
  return (text: string) => {
    try {
      const token = parseCompact(text);
      const { kid, algorithm, type } = readHeader(jsonObject(token.header), allowed);
      return {
        type,
        unverifiedClaims: token.unverifiedPayload,
        async signedBy(keys: string, origin: RequestOrigin): Promise<boolean> {
          const document: unknown = JSON.parse(keys);
          // To read the keys takes as long as the check itself, so that waits, too.
          return signatures.run(() => {
            const set = readKeySet(document, algorithms);
            if (typeof set === 'string') return false;
            // A key that was registered without a name is the only one there is: whatever the client calls it is fine.
            const name = set.keys.length === 1 && set.keys[0]?.kid === undefined ? undefined : kid;
            const key = set.find(name, algorithm);
            return key !== undefined && signatureHolds(token, key, algorithm);
          }, origin);
        },
      };
    } catch {
      return null;
    }
  };
}

/** Why nothing could be signed by the keys of a JWKS (in JSON), or null when something can. */
export function faultOfPublicKeys(keys: string, algorithms: readonly string[]): string | null {
  const set = readKeySet(JSON.parse(keys), algorithms);
  if (typeof set === 'string') {
    return `expected a public key for ${algorithms.join(', ')} (RSA from 2048 to 8192 bits, P-256 or Ed25519), and ${set}`;
  }
  return set.alarms.length > 0
    ? `a key that nobody should use is among them (${set.alarms.join(', ')})`
    : null;
}
