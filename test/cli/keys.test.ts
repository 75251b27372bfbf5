import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { Deployment } from '../support/services/deployment.ts';
import { newSettings, runVestibule, type Settings, someEngine } from '../support/services/service.ts';
import { publishedKids, type ListedKey as StoredKey, signingKids } from '../support/services/signing-keys.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

type ListedKey = StoredKey & { readonly signing: boolean };

const keyFields = ['kid', 'algorithm', 'use', 'signing', 'created_at', 'signs_from', 'retires_at'];
/** A replaced key stays published for the token lifetime and a minute. */
const afterlifeMs = 660_000;

for (const engine of someEngine) {
  describe(`vestibule keys on ${engine}`, () => {
    let one: Deployment;
    let client: Credentials;
    before(async () => {
      const provider = await TestProvider.start();
      const all = { ...provider.settings, TOKEN_SIGNING_ALG: 'RS256' };
      one = new Deployment(provider, await newSettings(engine, all));
      // Creates the database, because a command that only reads creates none.
      client = await one.addClient('caller');
    });
    after(() => one.stop());

    const rotate = (...options: string[]) => runVestibule(one.settings, 'keys', 'rotate', ...options);
    const rotated = async (...options: string[]): Promise<ListedKey> =>
      JSON.parse(succeeded(await rotate('--json', ...options)));
    const listed = () => one.jsonOf<ListedKey[]>('keys', 'list');
    const signs = (kid: string) =>
      until(
        () => signingKids(one, client),
        ([signing]) => signing === kid,
        'a running service does not sign with the key',
      );

    it('an empty list says how the first key is made', async () => {
      const said = 'There is no signing key yet: the first "npx vestibule serve" makes one.\n';
      assert.equal(await one.command('keys', 'list'), said);
      assert.deepEqual(await listed(), []);
    });

    it('the first key signs at once, and the list has no key material', async () => {
      const key = await rotated();
      assert.deepEqual([key.algorithm, key.use, key.signing, key.retires_at], ['RS256', 'signs', true, null]);
      assert.deepEqual(Object.keys(key), keyFields);
      assert.equal(new Date(key.created_at).toISOString(), key.created_at);
      assert.equal(key.signs_from, key.created_at, 'the first key has nobody to wait for it');
      assert.deepEqual(await listed(), [key]);
      const shown = JSON.stringify(await listed());
      assert.doesNotMatch(shown, /PRIVATE|"(d|p|q|n|e|sealed\w*)"/i);
      assert.ok(shown.length < 400, 'a modulus alone would be longer');
      await one.restart();
      assert.deepEqual(await signingKids(one, client), [key.kid]);
    });

    it('with --now the next key signs at once in a running service, and the previous one still verifies', async () => {
      const [old] = await listed();
      const tokens = await one.tokens(client);
      const key = await rotated('--now');
      assert.deepEqual([key.use, key.signing, key.retires_at], ['signs', true, null]);
      const [before, next] = await listed();
      assert.deepEqual(next, key);
      assert.deepEqual([before?.kid, before?.use, before?.signing], [old?.kid, 'published', false]);
      assert.equal(Date.parse(String(before?.retires_at)), Date.parse(key.signs_from) + afterlifeMs);
      await signs(key.kid);
      assert.deepEqual(await publishedKids(one), [[old?.kid, key.kid]]);
      await one.letIn(tokens);
    });

    it('publishes the next key now, which signs later', async () => {
      const before = await listed();
      const earliest = Date.now() + 900_000;
      const said = succeeded(await rotate());
      const [, kid = '', time = ''] =
        /^Key "(\S+)" is published and signs from (\S+) on\.\n$/.exec(said) ?? [];
      const signsFrom = Date.parse(time);
      assert.ok(signsFrom >= earliest && signsFrom <= Date.now() + 900_000, said);
      const [oldest, signing, next] = await listed();
      assert.deepEqual([oldest?.use, signing?.use, next?.use], ['published', 'signs', 'next']);
      assert.deepEqual([next?.kid, next?.signs_from, next?.signing], [kid, time, false]);
      assert.equal(signing?.kid, before[1]?.kid);
      assert.equal(Date.parse(String(signing?.retires_at)), signsFrom + afterlifeMs);
      const published = () => publishedKids(one);
      await until(published, ([kids]) => kids?.includes(kid) === true, 'the new key is not published');
      assert.deepEqual(await signingKids(one, client), [signing?.kid]);
    });

    it('refuses another rotation while the next key is pending', async () => {
      const before = await listed();
      const says = new RegExp(`The next key "${before[2]?.kid}" is already published and signs from `);
      for (const options of [[], ['--json']]) refused(await rotate(...options), says);
      assert.deepEqual(await listed(), before);
    });

    it('with --now the pending key signs at once, and the previous one retires accordingly', async () => {
      const [oldest, old, waiting] = await listed();
      const key = await rotated('--now');
      assert.deepEqual([key.kid, key.use, key.retires_at], [waiting?.kid, 'signs', null]);
      assert.ok(Date.parse(key.signs_from) <= Date.now());
      const retiresAt = new Date(Date.parse(key.signs_from) + afterlifeMs).toISOString();
      const before = { ...old, use: 'published', signing: false, retires_at: retiresAt };
      assert.deepEqual(await listed(), [oldest, before, key]);
      await signs(key.kid);
    });

    it('prints the times of every key as a table', async () => {
      const lines = (await one.command('keys', 'list')).split('\n');
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
    const says =
      /^vestibule: There are mistakes in the settings:\n {2}TOKEN_TTL_SECONDS .*\n {2}TOKEN_SIGNING_ALG /;
    exits(1, await runVestibule(settings, 'keys', 'rotate'), says);
  });
});
