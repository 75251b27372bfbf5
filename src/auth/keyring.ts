import { hkdfSync } from 'node:crypto';

/** One key for each purpose, all derived from the master secret, so that none can stand in for another. */
export interface Keyring {
  readonly pseudonym: Uint8Array;
  readonly clientSecrets: Uint8Array;
  /** For the checksums of the clients in the database. */
  readonly clients: Uint8Array;
  readonly signingKeys: Uint8Array;
  readonly providerKeys: Uint8Array;
  /** For cursors and idempotency keys. */
  readonly records: Uint8Array;
  readonly declarations: Uint8Array;
  /** Protects nothing: it is kept in the database to tell one master secret from another. */
  readonly check: Uint8Array;
}

export function deriveKeyring(masterSecret: string): Keyring {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', masterSecret, '', `vestibule/${purpose}/v1`, 32));
  return {
    pseudonym: derive('pseudonym'),
    clientSecrets: derive('client-secrets'),
    clients: derive('clients'),
    signingKeys: derive('signing-keys'),
    providerKeys: derive('provider-keys'),
    records: derive('records'),
    declarations: derive('declarations'),
    check: derive('check'),
  };
}
