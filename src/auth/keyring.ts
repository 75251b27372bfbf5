import { hkdfSync } from 'node:crypto';

export type Keyring = ReturnType<typeof deriveKeyring>;

/** One key for each purpose, all derived from the master secret, so that none can stand in for another. */
export function deriveKeyring(masterSecret: string) {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', masterSecret, '', `vestibule/${purpose}/v1`, 32));
  return {
    pseudonym: derive('pseudonym'),
    clientSecrets: derive('client-secrets'),
    /** For the checksums of the clients in the database. */
    clients: derive('clients'),
    signingKeys: derive('signing-keys'),
    providerKeys: derive('provider-keys'),
    /** For cursors and idempotency keys. */
    records: derive('records'),
    declarations: derive('declarations'),
    /** For the secrets that sign webhooks. */
    webhooks: derive('webhooks'),
    /** For the names under which it is noted who was erased. */
    erasures: derive('erasures'),
    proofNonces: derive('proof-nonces'),
    /** For the names under which it is noted which DPoP proofs were used. */
    proofs: derive('proofs'),
    /** For the names under which it is noted whose tokens were taken back. */
    revocations: derive('revocations'),
    /** Protects nothing: it is kept in the database to tell one master secret from another. */
    check: derive('check'),
  };
}
