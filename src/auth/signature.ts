import { constants, KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { CryptoKey } from 'jose';

type Scheme = Omit<VerifyKeyObjectInput, 'key'> & { readonly hash: string | null };

const pkcs1 = { padding: constants.RSA_PKCS1_PADDING };
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const;

/** RFC 7518 section 3 and RFC 8037, in the platform's words. */
const schemes: Readonly<Record<string, Scheme>> = {
  RS256: { hash: 'sha256', ...pkcs1 },
  RS384: { hash: 'sha384', ...pkcs1 },
  RS512: { hash: 'sha512', ...pkcs1 },
  PS256: { hash: 'sha256', ...pss },
  PS384: { hash: 'sha384', ...pss },
  PS512: { hash: 'sha512', ...pss },
  ES256: { hash: 'sha256', ...ecdsa },
  ES384: { hash: 'sha384', ...ecdsa },
  ES512: { hash: 'sha512', ...ecdsa },
  EdDSA: { hash: null },
};

const verifyAside = promisify(verify);
const keyObjects = new WeakMap<CryptoKey, KeyObject>();

/**
 * Whether the signature of a token in compact form holds. At once, on this thread, or `aside`, on a thread of the
 * platform's pool: the way there and back costs more in all, and takes nothing from anybody else.
 */
export async function signatureHolds(
  token: string,
  key: CryptoKey,
  algorithm: string,
  aside: boolean,
): Promise<boolean> {
  const scheme = schemes[algorithm];
  if (scheme === undefined) return false;
  const { hash, ...options } = scheme;
  const end = token.lastIndexOf('.');
  const signed = Buffer.from(token.slice(0, end), 'latin1');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const input = { ...options, key: keyObject(key) };
  try {
    return aside ? await verifyAside(hash, signed, input, signature) : verify(hash, signed, input, signature);
  } catch {
    // A signature that is none for this kind of key.
    return false;
  }
}

function keyObject(key: CryptoKey): KeyObject {
  const known = keyObjects.get(key) ?? KeyObject.from(key);
  keyObjects.set(key, known);
  return known;
}
