import type { Caller, VerifiedToken } from '../../../src/base/caller.ts';

/** The caller of a good token, for tests that call a part without a token. */
export function verifiedCaller(changes: Partial<Caller> = {}): Caller {
  return {
    id: 'usr_a',
    kind: 'user',
    issuer: 'https://provider.example',
    subject: 'a',
    audience: 'https://api.example',
    scopes: [],
    credentialId: null,
    boundTo: null,
    session: null,
    ...changes,
  };
}

/** A good token of such a caller. */
export function verifiedToken(
  caller: Partial<Caller> = {},
  changes: Partial<Omit<VerifiedToken, 'caller'>> = {},
): VerifiedToken {
  return {
    caller: verifiedCaller(caller),
    expiresAtSeconds: 9e9,
    notBeforeSeconds: null,
    issuedAtSeconds: 1_000,
    tokenId: null,
    keys: { generation: 1 },
    generation: 1,
    ...changes,
  };
}
