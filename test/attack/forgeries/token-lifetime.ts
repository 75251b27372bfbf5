import { describe, it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { withBrokenSignature } from '../../support/tokens/forged-token.ts';

export function tokenLifetimeForgeries(attack: Attack): void {
  const now = () => Math.floor(Date.now() / 1000);

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
