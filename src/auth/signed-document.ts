import type { RequestOrigin } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { headerReader, openJws } from './jws.ts';
import { readKeySet } from './key-set.ts';
import type { SignatureQueue } from './signature-queue.ts';

/** Opens a JWT of a client that registered its keys with us. Null if it is not a JWT with one of these algorithms. */
export function signedDocumentOpener(algorithms: readonly string[], signatures: Pick<SignatureQueue, 'run'>) {
  const readSegment = headerReader(algorithms);
  return (text: string) => {
    try {
      const { header, unverifiedClaims, verify } = openJws(text, readSegment, signatures);
      return {
        type: header.type,
        unverifiedClaims,
        /** True if a key of this JWKS (in JSON) signed it. */
        async signedBy(keys: string, origin: RequestOrigin): Promise<boolean> {
          const document: unknown = JSON.parse(keys);
          const findKey = () => {
            const set = readKeySet(document, algorithms);
            if (typeof set === 'string') return undefined;
            // A client may give its only, unnamed key any name.
            const isUnnamed = set.keys.length === 1 && set.keys[0]?.kid === undefined;
            return set.find(isUnnamed ? undefined : header.kid, header.algorithm);
          };
          return verify(findKey, origin).then(() => true, isSignatureInvalid);
        },
      };
    } catch {
      return null;
    }
  };
}

function isSignatureInvalid(error: unknown): false {
  if (error instanceof Refusal && error.code === 'signature_invalid') return false;
  throw error;
}

/** A sentence if the keys of a JWKS (in JSON) cannot be used; else null. */
export function faultOfPublicKeys(keys: string, algorithms: readonly string[]): string | null {
  const set = readKeySet(JSON.parse(keys), algorithms);
  if (typeof set === 'string') {
    return `expected a public key for ${algorithms.join(', ')} (RSA from 2048 to 8192 bits, P-256 or Ed25519), and ${set}`;
  }
  return set.alarms.length > 0 ? `one of the keys must not be used (${set.alarms.join(', ')})` : null;
}
