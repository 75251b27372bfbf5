import { describe, it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { surroundings } from '../../support/run/surroundings.ts';
import { forged, withBrokenSignature } from '../../support/tokens/forged-token.ts';
import type { Claims } from '../../support/tokens/provider.ts';

export function typeForgeries(attack: Attack): void {
  const accessTokenTypes = ['at+jwt', 'application/at+jwt', 'AT+JWT', 'Application/At+Jwt'];
  const plainTypes = [undefined, 'JWT', 'jwt', 'application/jwt'];
  const otherTypes = [
    ...['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'id+jwt', 'token-introspection+jwt', 'JOSE', 'JWE'],
    ...['at+jwt ', 'xat+jwt', 'at+jwt+x', 'text/at+jwt', 'application/application/at+jwt', 'application/x'],
    ...['', 1, null, true, {}, ['at+jwt']],
  ];
  const shown = (typ: unknown) => JSON.stringify(typ) ?? 'absent';

  describe('without REQUIRE_AT_JWT', () => {
    const target = attack();

    it('[A42] an access token, a plain JWT and a token without typ are accepted', async () => {
      for (const typ of [...accessTokenTypes, ...plainTypes])
        await target().accepts(forged(target().provider.key, target().provider.claims(), { typ }));
    });

    for (const typ of otherTypes)
      it(`[A42] a token with the typ ${shown(typ)} is refused`, async () => {
        const token = forged(target().provider.key, target().provider.claims(), { typ });
        await target().refuses(token, 'token_type_not_allowed');
      });

    it('[A41] an ID token for a client of the same provider is refused', async () => {
      await target().refuses(await target().provider.token({ aud: 'web-client' }), 'audience_mismatch');
      const claims = { aud: 'web-client', nonce: 'n-0S6_WzA2Mj', auth_time: 1 };
      await target().refuses(await target().provider.token(claims), 'token_type_not_allowed');
    });

    const idTokenClaims: Claims[] = [
      { nonce: 'n-0S6_WzA2Mj' },
      { at_hash: '77QmUPtjPfzWtF2AnpK9RQ' },
      { c_hash: 'LDktKdoQak3Pk0cnXxCltA' },
      { s_hash: '76sa5dd65fdsf5dgdgdfgQ' },
      { typ: 'ID' },
      { typ: 'Refresh' },
      { typ: 'Logout' },
    ];
    for (const claims of idTokenClaims)
      it(`[A41] a token for this API with the ID token claims ${JSON.stringify(claims)} is refused`, async () => {
        await target().refuses(await target().provider.token(claims), 'token_type_not_allowed');
        const { audience } = surroundings();
        const forBoth = { ...claims, aud: ['web-client', audience], azp: 'web-client' };
        await target().refuses(await target().provider.token(forBoth), 'token_type_not_allowed');
      });

    it('[A41] a logout token and a security event are refused, whatever their typ', async () => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const claims = target().provider.claims({ events, sid: '08a5019c-17e1-4977-8f42-65a12843ea02' });
      for (const typ of [undefined, 'JWT', 'at+jwt', 'logout+jwt', 'secevent+jwt'])
        await target().refuses(forged(target().provider.key, claims, { typ }), 'token_type_not_allowed');
    });

    it('[A41] a DPoP proof is refused as a token', async () => {
      const claims = target().provider.claims({ htm: 'GET', htu: target().url });
      const token = forged(target().provider.key, claims, { typ: 'dpop+jwt' });
      await target().refuses(token, 'token_type_not_allowed');
    });
  });

  describe('with REQUIRE_AT_JWT', () => {
    const target = attack({ settings: { REQUIRE_AT_JWT: 'true' } });

    it('[A42] in strict mode a token with an access token typ is accepted', async () => {
      for (const typ of accessTokenTypes)
        await target().accepts(forged(target().provider.key, target().provider.claims(), { typ }));
    });

    for (const typ of [...plainTypes, ...otherTypes])
      it(`[A42] in strict mode a token with the typ ${shown(typ)} is refused`, async () => {
        const token = forged(target().provider.key, target().provider.claims(), { typ });
        await target().refuses(token, 'token_type_not_allowed');
      });
  });

  describe('a token that is bound to a key', () => {
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
    for (const [name, cnf] of Object.entries(confirmations))
      it(`a token bound to ${name} is refused as a bearer token`, async () => {
        await target().refuses(await target().provider.token({ cnf }), 'token_bound');
      });

    it('a token with a broken signature is refused for the signature, not for its binding', async () => {
      const token = await target().provider.token({ cnf: { jkt: 'x' } });
      await target().refuses(withBrokenSignature(token), 'signature_invalid');
    });
  });
}
