import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CanaryServer } from '../../support/faults/canary-server.ts';
import type { Attack } from '../../support/http/attacked.ts';
import { certificateOf } from '../../support/tokens/certificate.ts';
import { forged } from '../../support/tokens/forged-token.ts';
import { makeKey, type ProviderKey } from '../../support/tokens/provider.ts';

export function headerForgeries(attack: Attack): void {
  type Header = Readonly<Record<string, unknown>>;

  describe('a provider with one key', () => {
    const target = attack();
    let attacker: ProviderKey;
    let canary: CanaryServer;
    before(async () => {
      attacker = await makeKey();
      canary = await CanaryServer.start();
    });
    after(async () => {
      await canary.stop();
      assert.equal(canary.connections, 0, 'no token makes the service connect to anybody');
    });

    /** Valid claims with this header, signed by the right key unless another is given. */
    const token = (header: Header, key: ProviderKey = target().provider.key) => {
      const { provider } = target();
      return forged(key, provider.claims(), { kid: provider.key.kid, ...header });
    };

    /** With the kid of the provider's key, with the attacker's own, and without one. */
    async function refusesAttacker(header: Header): Promise<void> {
      await target().refuses(token(header, attacker), 'signature_invalid');
      await target().refuses(token({ ...header, kid: undefined }, attacker), 'signature_invalid');
      await target().refuses(token({ ...header, kid: attacker.kid }, attacker), 'key_unknown');
    }

    it('[A1] a token with unknown header members is accepted', async () => {
      await target().accepts(token({}));
      await target().accepts(token({ extra: 'x', nested: { deep: [1] } }));
    });

    const crits: Record<string, Header> = {
      'an unknown name': { crit: ['unheard-of'], 'unheard-of': true },
      'no name': { crit: [] },
      'the name of the algorithm': { crit: ['alg'] },
      'the name of a claim': { crit: ['exp'], exp: 4_102_444_800 },
      'a name twice': { crit: ['unheard-of', 'unheard-of'], 'unheard-of': true },
      'a name that is absent': { crit: ['unheard-of'] },
      'a string': { crit: 'unheard-of', 'unheard-of': true },
      'an object': { crit: { 0: 'alg', length: 1 } },
      null: { crit: null },
      'a number': { crit: [1] },
      'the unencoded payload option': { crit: ['b64'], b64: true },
      'the unencoded payload option switched on': { crit: ['b64'], b64: false },
    };
    for (const [name, header] of Object.entries(crits))
      it(`[A25] a "crit" of ${name} is refused`, async () => {
        await target().refuses(token(header), 'header_not_supported');
      });

    for (const b64 of [true, false, null, 'true', {}])
      it(`[A25] a "b64" of ${JSON.stringify(b64)} is refused although "crit" does not list it`, async () => {
        await target().refuses(token({ b64 }), 'header_not_supported');
      });

    it('[A27] a key in the token header (jwk, jwks) is not used', async () => {
      await refusesAttacker({ jwk: attacker.jwk });
      await refusesAttacker({ jwk: { ...attacker.jwk, kid: target().provider.key.kid } });
      await refusesAttacker({ jwks: { keys: [attacker.jwk] } });
    });

    it('[A28] a URL in the token header (jku, x5u) is not fetched', async () => {
      const { origin } = target().provider;
      const addresses = [
        ...[`http://${canary.host}/jwks`, `https://${canary.host}/jwks`, `//${canary.host}/jwks`],
        ...[`http://localhost:${canary.host.split(':')[1]}/jwks`, `${origin}@${canary.host}/jwks`],
        ...[`http://${canary.host}#${origin}/jwks`, `http://${canary.host}/?${origin}/jwks`],
        ...[`${origin}/redirect?to=http://${canary.host}/jwks`, `${origin}/jwks/../redirect`],
        'file:///etc/hostname',
      ];
      for (const address of addresses) {
        await refusesAttacker({ jku: address });
        await refusesAttacker({ x5u: address });
      }
      assert.equal(canary.connections, 0);
    });

    it('[A28] a URL in the header of a valid token is not fetched either', async () => {
      await target().accepts(token({ jku: `http://${canary.host}/jwks`, x5u: `http://${canary.host}/x5u` }));
      assert.equal(canary.connections, 0);
    });

    it('[A29] a certificate in the token header (x5c, x5t) is not used', async () => {
      const certificate = await certificateOf(attacker);
      const x5c = [certificate.raw.toString('base64')];
      const sha1 = Buffer.from(certificate.fingerprint.replaceAll(':', ''), 'hex').toString('base64url');
      const sha256 = Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
      await refusesAttacker({ x5c });
      await refusesAttacker({ x5t: sha1 });
      await refusesAttacker({ 'x5t#S256': sha256 });
      await refusesAttacker({ x5c, x5t: sha1, 'x5t#S256': sha256 });
    });

    it('[A30] an unknown kid is refused, and many cost at most one fetch of the keys', async () => {
      const { provider } = target();
      const fetchesBefore = provider.fetches;
      const names = [
        ...['../../dev/null', "' OR 1=1--", '\0', `${provider.key.kid}\0`, provider.key.kid.toUpperCase()],
        ...[` ${provider.key.kid}`, '\u{1f511}', '', '*', '__proto__', 'constructor', 'toString'],
        ...['hasOwnProperty', 'undefined', 'x'.repeat(512)],
      ];
      for (const kid of names) await target().refuses(token({ kid }), 'key_unknown');
      assert.ok(provider.fetches - fetchesBefore <= 1);
    });

    it('[A30] a "kid" that is not a string or too long is refused', async () => {
      for (const kid of [1, 0, true, [], [target().provider.key.kid], {}, null, 'x'.repeat(513)])
        await target().refuses(token({ kid }), 'token_malformed');
      await target().refuses(token({ kid: 'x'.repeat(10_000) }), 'token_too_large');
    });

    it('[A31] a token without a kid is accepted when there is only one key', async () => {
      await target().accepts(token({ kid: undefined }));
      await target().refuses(token({ kid: undefined }, attacker), 'signature_invalid');
    });
  });

  describe('a provider with a key whose kid is empty', () => {
    let nameless: ProviderKey;
    const target = attack({
      async prepare(provider) {
        nameless = await makeKey('');
        provider.keys.push(nameless);
      },
    });
    const signed = (key: ProviderKey, header: Header = {}) => forged(key, target().provider.claims(), header);

    it('[A30] an empty kid matches no key, not even that one', async () => {
      await target().refuses(signed(nameless), 'key_unknown');
      await target().refuses(signed(target().provider.key, { kid: '' }), 'key_unknown');
    });

    it('[A30] a token without a kid does not use that key; the other key works', async () => {
      await target().refuses(signed(nameless, { kid: undefined }), 'signature_invalid');
      await target().accepts(signed(target().provider.key));
    });
  });

  describe('a provider with three keys', () => {
    const target = attack({
      async prepare(provider) {
        provider.keys.push(await makeKey(), await makeKey());
      },
    });

    it('[A31] a token of each key is accepted when it has the right kid', async () => {
      const { provider } = target();
      for (const key of provider.keys) await target().accepts(forged(key, provider.claims()));
    });

    it('[A31] a token without a kid is refused: keys are not tried in turn', async () => {
      const { provider } = target();
      for (const key of provider.keys)
        await target().refuses(forged(key, provider.claims(), { kid: undefined }), 'key_unknown');
    });

    it('[A31] a token with the kid of one key and the signature of another is refused', async () => {
      const { provider } = target();
      const [first, second] = provider.keys as [ProviderKey, ProviderKey];
      await target().refuses(forged(second, provider.claims(), { kid: first.kid }), 'signature_invalid');
    });
  });
}
