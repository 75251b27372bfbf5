import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';

export type Keyring = ReturnType<typeof deriveKeyring>;

/** One key for each purpose, all derived from the master secret, so that no key can replace another. */
export function deriveKeyring(masterSecret: string) {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', masterSecret, '', `vestibule/${purpose}/v1`, 32));
  return {
    pseudonym: derive('pseudonym'),
    clientSecrets: derive('client-secrets'),
    /** Key for the MACs of the clients in the database. */
    clients: derive('clients'),
    signingKeys: derive('signing-keys'),
    providerKeys: derive('provider-keys'),
    /** Key for cursors and idempotency keys. */
    records: derive('records'),
    declarations: derive('declarations'),
    webhooks: derive('webhooks'),
    erasures: derive('erasures'),
    proofNonces: derive('proof-nonces'),
    proofs: derive('proofs'),
    revocations: derive('revocations'),
    /** Stored in the database to recognise the master secret. */
    check: derive('check'),
  };
}

interface DocumentStore {
  read(name: string): Promise<{ readonly mac: Uint8Array } | null>;
  writeFirst(name: string, content: string, mac: Uint8Array): Promise<void>;
}

const name = 'master-secret';

/**
 * Refuses a master secret other than the one of the database: pseudonyms would silently change. The first start stores a
 * mark.
 */
export async function checkMasterSecret(documents: DocumentStore, keyring: Keyring): Promise<void> {
  await documents.writeFirst(name, '', keyring.check);
  if (!(await masterSecretFits(documents, keyring))) throw otherMasterSecret();
}

/** Stores no mark: a database without one accepts any master secret. */
export async function masterSecretFits(
  documents: Pick<DocumentStore, 'read'>,
  keyring: Keyring,
): Promise<boolean> {
  const mark = (await documents.read(name))?.mac ?? keyring.check;
  return mark.length === keyring.check.length && timingSafeEqual(mark, keyring.check);
}

export function otherMasterSecret(what = 'database'): OperatorError {
  return new OperatorError(
    `The ${what} was made with another master secret. Set MASTER_SECRET or MASTER_SECRET_FILE to that secret.`,
  );
}
