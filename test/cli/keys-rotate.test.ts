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
