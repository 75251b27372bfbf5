import { constants, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import type { SignatureAlgorithm } from '../base/signature-algorithms.ts';

interface Scheme {
  readonly hash: string | null;
  /** A key in the form in which Node takes it for this scheme. */
  readonly keyed: (key: KeyObject) => KeyObject | VerifyKeyObjectInput;
}

/** PKCS #1 v1.5 is what Node does with an RSA key of which nothing else is said. */
const plain = (key: KeyObject) => key;
const pss = (key: KeyObject) => ({
  key,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
});
const ecdsa = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' as const });

/** RFC 7518 section 3 and RFC 8037, in Node's words. */
const known: Readonly<Record<SignatureAlgorithm, Scheme>> = {
  RS256: { hash: 'sha256', keyed: plain },
  RS384: { hash: 'sha384', keyed: plain },
  RS512: { hash: 'sha512', keyed: plain },
  PS256: { hash: 'sha256', keyed: pss },
  PS384: { hash: 'sha384', keyed: pss },
  PS512: { hash: 'sha512', keyed: pss },
  ES256: { hash: 'sha256', keyed: ecdsa },
  ES384: { hash: 'sha384', keyed: ecdsa },
  ES512: { hash: 'sha512', keyed: ecdsa },
  EdDSA: { hash: null, keyed: plain },
  // The same with the curve in its name (RFC 9864).
  Ed25519: { hash: null, keyed: plain },
};
const schemes: Readonly<Record<string, Scheme>> = known;

interface Signed {
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Checks a signature, on this thread. */
export function signatureHolds(token: Signed, key: KeyObject, algorithm: string): boolean {
  const scheme = schemes[algorithm];
  try {
    return scheme !== undefined && verify(scheme.hash, token.signed, scheme.keyed(key), token.signature);
  } catch {
    // The signature has the wrong form for this kind of key.
    return false;
  }
}
