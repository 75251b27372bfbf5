import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  type SignKeyObjectInput,
  sign as signWith,
} from 'node:crypto';
import { promisify } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import type { SigningKeyRecord } from '../storage/port.ts';
import { seal, unseal } from './secrets.ts';

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface SigningKey extends Pick<SigningKeyRecord, 'kid' | 'signsFrom' | 'retiresAt'> {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: Readonly<Record<string, string>>;
}

interface Algorithm {
  readonly makePair: () => Promise<{ privateKey: KeyObject; publicKey: KeyObject }>;
  /** The members that define a key, in the order in which RFC 7638 hashes them. */
  readonly definingMembers: readonly string[];
  readonly hash: string | null;
  readonly options?: Omit<SignKeyObjectInput, 'key'>;
}

/** Names of RFC 7518 and RFC 8037, mapped to those of node:crypto. */
const algorithms: Readonly<Record<SigningAlgorithm, Algorithm>> = {
  RS256: {
    makePair: () => promisify(generateKeyPair)('rsa', { modulusLength: 2048 }),
    definingMembers: ['e', 'kty', 'n'],
    hash: 'sha256',
  },
  ES256: {
    makePair: () => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }),
    definingMembers: ['crv', 'kty', 'x', 'y'],
    hash: 'sha256',
    options: { dsaEncoding: 'ieee-p1363' },
  },
  EdDSA: {
    makePair: () => promisify(generateKeyPair)('ed25519'),
    definingMembers: ['crv', 'kty', 'x'],
    hash: null,
  },
};

export async function createSigningKey(
  algorithm: SigningAlgorithm,
  sealingKey: Uint8Array,
  times: { readonly createdAt: number; readonly signsFrom: number },
): Promise<SigningKeyRecord> {
  const { privateKey, publicKey } = await algorithms[algorithm].makePair();
  const { kid, publicJwk } = publish(publicKey, algorithm);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    algorithm,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivateKey: seal(sealingKey, der, sealContext(kid)),
    ...times,
    retiresAt: null,
  };
}

export function openSigningKey(record: SigningKeyRecord, sealingKey: Uint8Array): SigningKey {
  const { kid, signsFrom, retiresAt } = record;
  const der = unseal(sealingKey, record.sealedPrivateKey, sealContext(kid));
  if (der === null) {
    throw new OperatorError(
      `The signing key "${kid}" in the database cannot be decrypted with this master secret. Set MASTER_SECRET or MASTER_SECRET_FILE to the secret the database was made with.`,
    );
  }
  const privateKey = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const algorithm = record.algorithm as SigningAlgorithm;
  const published = Object.hasOwn(algorithms, algorithm) ? publish(publicKey, algorithm) : null;
  if (published?.kid !== kid) {
    throw new OperatorError(
      `The signing key "${kid}" in the database does not match its id. Restore the database from a backup.`,
    );
  }
  return { kid, algorithm, privateKey, publicKey, publicJwk: published.publicJwk, signsFrom, retiresAt };
}

/** The public JWK: these members and no others. The `kid` is the key's thumbprint (RFC 7638). */
function publish(publicKey: KeyObject, algorithm: SigningAlgorithm) {
  const jwk = publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>;
  const defining = Object.fromEntries(
    algorithms[algorithm].definingMembers.map((member) => [member, jwk[member] ?? '']),
  );
  const kid = createHash('sha256').update(JSON.stringify(defining)).digest('base64url');
  return { kid, publicJwk: { ...defining, kid, use: 'sig', alg: algorithm } };
}

function sealContext(kid: string): string {
  return `signing-key/${kid}`;
}

const signOnPool = promisify(signWith);

/** Signs the first two parts of a JWT and returns the third. Runs on Node's thread pool: a signature takes milliseconds. */
export async function sign({ algorithm, privateKey }: SigningKey, text: string): Promise<string> {
  const { hash, options } = algorithms[algorithm];
  const signature = await signOnPool(hash, Buffer.from(text), { ...options, key: privateKey });
  return signature.toString('base64url');
}
