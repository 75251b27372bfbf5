import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type CryptoKey, calculateJwkThumbprint, importPKCS8, type JWK } from 'jose';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { SigningKeyRecord, SigningKeyStore } from '../storage/port.ts';
import { seal, unseal } from './seal.ts';

export const signingAlgorithm = 'RS256';
const modulusBits = 2048;

/** A key of ours, ready for use. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: KeyObject;
  readonly publicJwk: JWK;
}

/** Our keys, the newest first; made at the first start. */
export async function openSigningKeys(
  store: SigningKeyStore,
  sealingKey: Uint8Array,
  clock: Clock,
): Promise<readonly [SigningKey, ...SigningKey[]]> {
  if ((await store.list()).length === 0) await store.addFirst(await createSigningKey(sealingKey, clock));
  const records = await store.list();
  const keys = await Promise.all(records.toReversed().map((record) => openSigningKey(record, sealingKey)));
  const [current, ...older] = keys;
  if (current === undefined)
    throw new OperatorError('The database holds no signing key, and none could be made.');
  return [current, ...older];
}

async function createSigningKey(sealingKey: Uint8Array, clock: Clock): Promise<SigningKeyRecord> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: modulusBits });
  const { kid, publicJwk } = await publish(publicKey);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    algorithm: signingAlgorithm,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivateKey: seal(sealingKey, der, sealContext(kid)),
    createdAt: clock.now(),
  };
}

async function openSigningKey(record: SigningKeyRecord, sealingKey: Uint8Array): Promise<SigningKey> {
  const der = unseal(sealingKey, record.sealedPrivateKey, sealContext(record.kid));
  if (der === null) {
    throw new OperatorError(
      `The signing key "${record.kid}" in the database does not open with this master secret. Set MASTER_SECRET or MASTER_SECRET_FILE to the secret the database was made with.`,
    );
  }
  const pkcs8 = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(pkcs8);
  const { kid, publicJwk } = await publish(publicKey);
  if (kid !== record.kid || record.algorithm !== signingAlgorithm) {
    throw new OperatorError(
      `The signing key "${record.kid}" in the database is not what its name says. Restore the database from a backup.`,
    );
  }
  const pem = pkcs8.export({ format: 'pem', type: 'pkcs8' }) as string;
  const privateKey = await importPKCS8(pem, signingAlgorithm);
  return { kid, privateKey, publicKey, publicJwk };
}

/** What is published of a key: these members and no other. The name is the key's own thumbprint (RFC 7638). */
async function publish(publicKey: KeyObject): Promise<{ readonly kid: string; readonly publicJwk: JWK }> {
  const { kty, n, e } = publicKey.export({ format: 'jwk' }) as { kty: string; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return { kid, publicJwk: { kty, n, e, kid, use: 'sig', alg: signingAlgorithm } };
}

function sealContext(kid: string): string {
  return `signing-key/${kid}`;
}
