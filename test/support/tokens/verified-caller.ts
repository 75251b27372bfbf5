import type { Caller, VerifiedToken } from '../../../src/base/caller.ts';

/** A good token, for tests that call a part without one. */
export function verifiedToken(
  caller: Partial<Caller> = {},
  changes: Partial<Omit<VerifiedToken, 'caller'>> = {},
): VerifiedToken {
  return {
    caller: {
      id: 'usr_a',
      kind: 'user',
      issuer: 'https://provider.example',
      subject: 'a',
      audience: 'https://api.example',
      scopes: [],
      credentialId: null,
      boundTo: null,
      session: null,
      ...caller,
    },
    expiresAtSeconds: 9e9,
    notBeforeSeconds: null,
    issuedAtSeconds: 1_000,
    tokenId: null,
    keys: { generation: 1 },
    generation: 1,
    ...changes,
  };
}
