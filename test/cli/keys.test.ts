import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import {
  addClient,
  me,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  someEngine,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

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

interface ListedKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly use: string;
  readonly signing: boolean;
  readonly signs_from: string;
  readonly retires_at: string | null;
}

/** A replaced key stays published for the token lifetime and a minute. */
const afterlifeMs = 660_000;

for (const engine of someEngine) {
  describe(`vestibule keys rotate on ${engine}`, () => {
    let provider: TestProvider;
    let settings: Settings;
    let service: Service;
    let credentials: { id: string; secret: string };
    before(async () => {
      provider = await TestProvider.start();
      settings = await newSettings(engine, { ...provider.settings, TOKEN_SIGNING_ALG: 'RS256' });
    });
    after(async () => {
      await service.stop();
      await provider.stop();
    });

    const rotate = (...options: string[]) => runVestibule(settings, 'keys', 'rotate', ...options);
    const listed = async (): Promise<ListedKey[]> =>
      JSON.parse(succeeded(await runVestibule(settings, 'keys', 'list', '--json')));
    const uses = async () => (await listed()).map(({ use }) => use);
    const publishedKids = async () => {
      const { keys } = (await request(`${service.url}/.well-known/jwks.json`)).json<{
        keys: { kid: string }[];
      }>();
      return keys.map(({ kid }) => kid);
    };
    const publishes = (kid: string) =>
      until(publishedKids, (kids) => kids.includes(kid), 'a running service does not publish a new key');
    const signingKid = async () => decodeProtectedHeader(await tokenOf(service.url, credentials)).kid;

    it('the first key signs at once', async () => {
      const key: ListedKey = JSON.parse(succeeded(await rotate('--json')));
      assert.deepEqual([key.use, key.signing, key.retires_at], ['signs', true, null]);
      assert.deepEqual(await listed(), [key]);
      service = await startService(settings);
      credentials = { id: 'caller', secret: await addClient(settings, 'caller') };
      assert.equal(await signingKid(), key.kid);
    });

    it('with --now the next key signs at once in a running service, and the previous one still verifies', async () => {
      const [old] = await listed();
      const token = await tokenOf(service.url, credentials);
      const key: ListedKey = JSON.parse(succeeded(await rotate('--now', '--json')));
      assert.deepEqual([key.use, key.signing, key.retires_at], ['signs', true, null]);
      const [before, next] = await listed();
      assert.deepEqual(next, key);
      assert.deepEqual([before?.kid, before?.use, before?.signing], [old?.kid, 'published', false]);
      assert.equal(Date.parse(String(before?.retires_at)), Date.parse(key.signs_from) + afterlifeMs);
      await until(signingKid, (kid) => kid === key.kid, 'a running service does not sign with the new key');
      assert.deepEqual(await publishedKids(), [old?.kid, key.kid]);
      assert.equal((await withToken(service.url + me, token)).status, 200);
    });

    it('publishes the next key now, which signs later', async () => {
      const before = await listed();
      const earliest = Date.now() + 900_000;
      const said = succeeded(await rotate());
      const [, kid = '', time = ''] =
        /^Key "(\S+)" is published and signs from (\S+) on\.\n$/.exec(said) ?? [];
      const signsFrom = Date.parse(time);
      assert.ok(signsFrom >= earliest && signsFrom <= Date.now() + 900_000, said);
      assert.deepEqual(await uses(), ['published', 'signs', 'next']);
      const [, signing, next] = await listed();
      assert.deepEqual([next?.kid, next?.signs_from, next?.signing], [kid, time, false]);
      assert.equal(signing?.kid, before[1]?.kid);
      assert.equal(Date.parse(String(signing?.retires_at)), signsFrom + afterlifeMs);
      await publishes(kid);
      assert.equal(await signingKid(), signing?.kid);
    });

    it('refuses another rotation while the next key is pending', async () => {
      const before = await listed();
      for (const options of [[], ['--json']]) {
        refused(
          await rotate(...options),
          new RegExp(`The next key "${before[2]?.kid}" is already published and signs from `),
        );
      }
      assert.deepEqual(await listed(), before);
    });

    it('with --now the pending key signs at once, and the previous one retires accordingly', async () => {
      const [oldest, old, waiting] = await listed();
      const key: ListedKey = JSON.parse(succeeded(await rotate('--now', '--json')));
      assert.deepEqual([key.kid, key.use, key.retires_at], [waiting?.kid, 'signs', null]);
      assert.ok(Date.parse(key.signs_from) <= Date.now());
      const retiresAt = new Date(Date.parse(key.signs_from) + afterlifeMs).toISOString();
      const before = { ...old, use: 'published', signing: false, retires_at: retiresAt };
      assert.deepEqual(await listed(), [oldest, before, key]);
      await until(signingKid, (kid) => kid === key.kid, 'a running service does not sign with the key');
    });

    it('prints the times of every key as a table', async () => {
      const lines = succeeded(await runVestibule(settings, 'keys', 'list')).split('\n');
      const keys = await listed();
      assert.match(String(lines[0]), /^KID +ALGORITHM +USE +SIGNS FROM +RETIRES$/);
      for (const [index, key] of keys.entries()) {
        const cells = [key.kid, key.algorithm, key.use, key.signs_from, key.retires_at ?? '-'];
        assert.deepEqual(String(lines[index + 1]).split(/ {2,}/), cells);
      }
    });
  });
}

describe('vestibule keys rotate, settings', () => {
  it('TOKEN_SIGNING_ALG sets the algorithm, and --now the start', async () => {
    const settings = await newSettings('sqlite', { TOKEN_SIGNING_ALG: 'RS256' });
    const rotate = async (more: Settings, ...options: string[]) => {
      const outcome = await runVestibule({ ...settings, ...more }, 'keys', 'rotate', '--json', ...options);
      return JSON.parse(succeeded(outcome)) as ListedKey & { created_at: string };
    };
    assert.equal((await rotate({})).algorithm, 'RS256');
    const curve = await rotate({ TOKEN_SIGNING_ALG: 'ES256' }, '--now');
    assert.deepEqual([curve.algorithm, curve.use, curve.signs_from], ['ES256', 'signs', curve.created_at]);
    const later = await rotate({ TOKEN_SIGNING_ALG: 'EdDSA' });
    assert.deepEqual([later.algorithm, later.use], ['EdDSA', 'next']);
    assert.equal(Date.parse(later.signs_from), Date.parse(later.created_at) + 900_000);
  });

  it('wrong settings are refused together', async () => {
    const settings = await newSettings('sqlite', { TOKEN_SIGNING_ALG: 'HS256', TOKEN_TTL_SECONDS: 'x' });
    exits(
      1,
      await runVestibule(settings, 'keys', 'rotate'),
      /^vestibule: There are mistakes in the settings:\n {2}TOKEN_TTL_SECONDS .*\n {2}TOKEN_SIGNING_ALG /,
    );
  });
});
