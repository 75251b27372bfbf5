import { describe, it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { forged, withBrokenSignature } from '../../support/tokens/forged-token.ts';

export function timesForgeries(attack: Attack): void {
  const now = () => Math.floor(Date.now() / 1000);

  describe('over HTTP', () => {
    const target = attack();

    /** A token whose claim is written exactly like this, which JSON.stringify would not do for every number. */
    function written(name: string, text: string): string {
      const { key } = target().provider;
      const others = target().provider.claims({ [name]: undefined });
      const payload = `{"${name}":${text},${JSON.stringify(others).slice(1)}`;
      return forged(key, payload);
    }

    it('[A44] a token that expires later is accepted, also with a fraction of a second', async () => {
      await target().accepts(await target().provider.token({ exp: now() + 60 }));
      await target().accepts(await target().provider.token({ exp: now() + 60.5 }));
      await target().accepts(written('exp', `${now() + 60}.0`));
      await target().accepts(written('exp', `${(now() + 60) / 1000}e3`));
    });

    it('[A44] a token that has expired is refused', async () => {
      for (const exp of [now() - 6, now() - 60, now() - 86_400, 1.5, 1, 0])
        await target().refuses(await target().provider.token({ exp }), 'token_expired');
    });

    it('[A44] a token without an expiry is refused', async () => {
      await target().refuses(await target().provider.token({ exp: undefined }), 'expiry_missing');
    });

    const impossible = [
      ...['"9999999999"', '"4102444800"', 'null', 'true', '[]', '[4102444800]', '{}', '""', '-1'],
      ...['-4102444800', '1e999', '-1e999', '9007199254740992', '4102444800000', '253402300800'],
    ];
    for (const text of impossible) {
      it(`[A44] an expiry of ${text} is refused`, async () => {
        await target().refuses(written('exp', text), 'claim_invalid');
      });

      it(`[A43] a "nbf" or "iat" of ${text} is refused`, async () => {
        await target().refuses(written('nbf', text), 'claim_invalid');
        await target().refuses(written('iat', text), 'claim_invalid');
      });
    }

    it('[A43] an nbf or iat four seconds in the future is accepted', async () => {
      await target().accepts(await target().provider.token({ nbf: now() + 4, iat: now() + 4 }));
    });

    it('[A43] an nbf or iat in the future is refused', async () => {
      for (const later of [60, 86_400]) {
        await target().refuses(await target().provider.token({ nbf: now() + later }), 'token_not_yet_valid');
        await target().refuses(await target().provider.token({ iat: now() + later }), 'token_not_yet_valid');
      }
    });

    it('[A43] a token without nbf and iat is accepted', async () => {
      await target().accepts(await target().provider.token({ nbf: undefined, iat: undefined }));
    });
  });

  describe('with MAX_TOKEN_LIFETIME_SECONDS', () => {
    const target = attack({ settings: { MAX_TOKEN_LIFETIME_SECONDS: '600' } });
    const token = (iat: number | undefined, exp: number) => target().provider.token({ iat, exp });

    it('a token of the maximum lifetime is accepted; a longer one is refused', async () => {
      const iat = now();
      await target().accepts(await token(iat, iat + 600));
      await target().refuses(await token(iat, iat + 601), 'token_lifetime_too_long');
      await target().refuses(await token(iat, iat + 600.5), 'token_lifetime_too_long');
      await target().refuses(await token(iat - 86_400, iat + 60), 'token_lifetime_too_long');
    });

    it('a token without iat is refused because its lifetime is unknown', async () => {
      await target().refuses(await token(undefined, now() + 60), 'token_lifetime_too_long');
    });

    it('an expired token is refused as expired, and a broken signature is reported first', async () => {
      await target().refuses(await token(now() - 86_400, now() - 60), 'token_expired');
      const broken = withBrokenSignature(await token(now(), now() + 3600));
      await target().refuses(broken, 'signature_invalid');
    });
  });

  describe('without MAX_TOKEN_LIFETIME_SECONDS', () => {
    const target = attack();

    it('any lifetime is accepted, and iat may be missing', async () => {
      await target().accepts(await target().provider.token({ iat: now(), exp: now() + 10 * 365 * 86_400 }));
      await target().accepts(await target().provider.token({ iat: undefined }));
    });
  });
}
