import { timingSafeEqual } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';
import type { Keyring } from './keyring.ts';

interface DocumentStore {
  read(name: string): Promise<{ readonly mac: Uint8Array } | null>;
  writeFirst(name: string, content: string, mac: Uint8Array): Promise<void>;
}

const name = 'master-secret';

/**
 * Makes sure that a database is used with the one master secret it was made with: with another, callers would get new
 * pseudonyms and clients secrets that never work, without anybody noticing. The first one to come leaves its mark.
 */
export async function checkMasterSecret(documents: DocumentStore, keyring: Keyring): Promise<void> {
  await documents.writeFirst(name, '', keyring.check);
  if (!(await masterSecretFits(documents, keyring))) throw otherMasterSecret();
}

/** As far as it can be told without leaving a mark: a database that has none takes any master secret. */
export async function masterSecretFits(
  documents: Pick<DocumentStore, 'read'>,
  keyring: Keyring,
): Promise<boolean> {
  const mark = (await documents.read(name))?.mac ?? keyring.check;
  return mark.length === keyring.check.length && timingSafeEqual(mark, keyring.check);
}

export function otherMasterSecret(what = 'database'): OperatorError {
  return new OperatorError(
    `The ${what} was made with another master secret. Set MASTER_SECRET or MASTER_SECRET_FILE to that one.`,
  );
}
