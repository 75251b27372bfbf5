import type { Caller } from '../../src/base/caller.ts';

/** Whom a good token speaks for, for tests that call a part without a token. */
export function verifiedCaller(changes: Partial<Caller> = {}): Caller {
  return {
    id: 'usr_a',
    kind: 'user',
    issuer: 'https://provider.example',
    subject: 'a',
    audience: 'https://api.example',
    scopes: [],
    times: { expiresAtSeconds: 9e9, notBeforeSeconds: null, issuedAtSeconds: 1_000 },
    credentialId: null,
    boundTo: null,
    session: null,
    tokenId: null,
    verification: { keys: { generation: 1 }, generation: 1 },
    ...changes,
  };
}
