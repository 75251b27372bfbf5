import { it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { withBrokenSignature } from '../../support/tokens/forged-token.ts';

export function boundTokenForgeries(attack: Attack): void {
  const target = attack();

  /** RFC 7800: confirmation claims, which a plain bearer request cannot prove. */
  const confirmations: Record<string, unknown> = {
    'a DPoP key': { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' },
    'a certificate': { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' },
    'a key in full': { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } },
    nothing: {},
    null: null,
    'an empty text': '',
    'a text': 'jkt',
    'a list': [],
    false: false,
  };
  for (const [name, cnf] of Object.entries(confirmations)) {
    it(`a token bound to ${name} is refused as a bearer token`, async () => {
      await target().refuses(await target().provider.token({ cnf }), 'token_bound');
    });
  }

  it('a token with a broken signature is refused for the signature, not for its binding', async () => {
    const token = await target().provider.token({ cnf: { jkt: 'x' } });
    await target().refuses(withBrokenSignature(token), 'signature_invalid');
  });
}
