import { it } from 'node:test';
import type { Attack } from '../../support/attacked.ts';
import { withBrokenSignature } from '../../support/compact.ts';

export function boundTokenForgeries(attack: Attack): void {
  const target = attack();

  /** RFC 7800: what a caller would have to prove beside showing the token. Nothing of it can be proven here. */
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
    it(`a token bound to ${name} is no plain bearer token`, async () => {
      await target().refuses(await target().provider.token({ cnf }), 'token_bound');
    });
  }

  it('nothing is said of the binding until the signature holds', async () => {
    const token = await target().provider.token({ cnf: { jkt: 'x' } });
    await target().refuses(withBrokenSignature(token), 'signature_invalid');
  });
}
