import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { request } from '../support/http/request.ts';
import {
  addClient,
  newSettings,
  runVestibule,
  type Settings,
  someEngine,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const keyFields = ['kid', 'algorithm', 'use', 'signing', 'created_at', 'signs_from', 'retires_at'];

for (const engine of someEngine) {
  describe(`vestibule keys on ${engine}`, () => {
    let provider: TestProvider;
    let settings: Settings;
    before(async () => {
      provider = await TestProvider.start();
      settings = await newSettings(engine, { ...provider.settings, TOKEN_SIGNING_ALG: 'RS256' });
      // Creates the database, because a command that only reads creates none.
      await addClient(settings, 'somebody');
    });
    after(() => provider.stop());

    it('an empty list says how the first key is made', async () => {
      const said = succeeded(await runVestibule(settings, 'keys', 'list'));
      assert.equal(said, 'There is no signing key yet: the first "npx vestibule serve" makes one.\n');
      assert.equal(succeeded(await runVestibule(settings, 'keys', 'list', '--json')), '[]\n');
    });

    it('two services that start at once publish and list one key', async () => {
      const services = await Promise.all([startService(settings), startService(settings)]);
      const published = await Promise.all(
        services.map(async ({ url }) => (await request(`${url}/.well-known/jwks.json`)).text),
      );
      await Promise.all(services.map((service) => service.stop()));
      assert.equal(published[0], published[1]);
      const { keys } = JSON.parse(String(published[0])) as { keys: Record<string, string>[] };
      assert.equal(keys.length, 1);

      const shown = succeeded(await runVestibule(settings, 'keys', 'list', '--json'));
      const [key, ...others] = JSON.parse(shown);
      assert.deepEqual(others, []);
      assert.deepEqual(Object.keys(key), keyFields);
      assert.equal(key.kid, keys[0]?.kid);
      assert.equal(key.algorithm, 'RS256');
      assert.deepEqual([key.use, key.signing, key.retires_at], ['signs', true, null]);
      assert.equal(new Date(key.created_at).toISOString(), key.created_at);
      assert.equal(key.signs_from, key.created_at, 'the first key has nobody to wait for it');

      const lines = succeeded(await runVestibule(settings, 'keys', 'list'))
        .trimEnd()
        .split('\n');
      assert.equal(lines.length, 2);
      assert.match(String(lines[0]), /^KID +ALGORITHM +USE +SIGNS FROM +RETIRES$/);
      assert.match(String(lines[1]), new RegExp(`^${key.kid} +RS256 +signs +${key.signs_from} +-$`));
    });

    it('prints no key material', async () => {
      const shown = succeeded(await runVestibule(settings, 'keys', 'list', '--json'));
      assert.doesNotMatch(shown, /PRIVATE|"(d|p|q|n|e|sealed\w*)"/i);
      assert.ok(shown.length < 400, 'a modulus alone would be longer');
    });
  });
}
