import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, SettingsError } from '../../src/config/load.ts';
import { answerWith } from '../support/hostile-answers.ts';
import { AskedEndpoint, answerJson, introspectingSettings, opaqueToken } from '../support/introspection.ts';
import { newDirectory } from '../support/outcome.ts';
import type { Answer } from '../support/provider.ts';
import { runVestibule, type Settings } from '../support/service.ts';

/** Settings with this text as IDPS_FILE. `SECRET` stands for the path of a secret file. */
function settingsOf(text: string): Settings {
  const directory = newDirectory();
  writeFileSync(`${directory}/secret`, `${opaqueToken()}\n`);
  writeFileSync(`${directory}/empty`, '\n');
  writeFileSync(
    `${directory}/providers.yaml`,
    text.replaceAll('SECRET', `${directory}/secret`).replaceAll('EMPTY', `${directory}/empty`),
  );
  return { IDPS_FILE: `${directory}/providers.yaml`, API_AUDIENCE: 'https://api.example.org' };
}

const begin = `- name: main
  origin: https://login.example.org
  issuer: https://login.example.org
  introspection:
`;
const good = `${begin}    url: https://login.example.org/introspect
    client_id: api
    client_secret_file: SECRET
`;

const mistakes: Record<string, readonly [text: string, says: readonly RegExp[]]> = {
  'a text instead of members': [
    begin.replace('introspection:', 'introspection: https://login.example.org/introspect'),
    [/providers\.yaml:4: .*introspection must be a mapping with members such as "url"/],
  ],
  'an unknown member': [
    good.replace('    client_id', '    client_idd: x\n    client_id'),
    [/:6: .*client_idd is not known here; did you mean "client_id"\?/],
  ],
  'an empty mapping': [
    begin.replace('introspection:', 'introspection: {}'),
    [/:4: .*has no "url"/, /:4: .*has no "client_id"/, /:4: .*has no "client_secret_file"/],
  ],
  'a plain HTTP URL': [
    good.replace('https://login.example.org/introspect', 'http://login.example.org/introspect'),
    [/:5: .*url must be https, because a secret is sent there; found "http:/],
  ],
  'a plain HTTP URL with a key, which is not printed': [
    good.replace('https://login.example.org/introspect', 'http://login.example.org/introspect?key=hunter2'),
    [/:5: .*url must be https, .*; found "http:\/\/login\.example\.org\/introspect\?\.\.\."\.$/m],
  ],
  'a URL with a key and no scheme, whose key is not printed': [
    good.replace('https://login.example.org/introspect', 'login.example.org/introspect?key=hunter2'),
    [/:5: .*url must be a URL without user .*; found "login\.example\.org\/introspect\?\.\.\."\.$/m],
  ],
  'a URL with one slash and a key in the fragment, which is not printed': [
    good.replace('https://login.example.org/introspect', 'https:/login.example.org/introspect#key=hunter2'),
    [/:5: .*url must be a URL without user .*; found "https:\/login\.example\.org\/introspect#\.\.\."\.$/m],
  ],
  'a URL with a key instead of members, whose key is not printed': [
    begin.replace('introspection:', 'introspection: login.example.org/introspect?key=hunter2'),
    [/:4: .*introspection must be a mapping .*; found "login\.example\.org\/introspect\?\.\.\."\.$/m],
  ],
  'a URL with a user': [
    good.replace('https://login.example.org/introspect', 'https://a:b@login.example.org/introspect'),
    [/:5: .*url must be a URL without user and fragment/],
  ],
  'a missing secret file': [
    good.replace('SECRET', '/no/such/file'),
    [/:7: introspection\.client_secret_file must name a file .*, but the file cannot be read \(ENOENT\)/],
  ],
  'an empty secret file': [good.replace('SECRET', 'EMPTY'), [/:7: .*the file is empty/]],
  'introspection without "issuer"': [
    good.replace('  issuer: https://login.example.org\n', ''),
    [/:3: .*introspection needs "issuer" beside it/],
  ],
  'introspection in two entries': [
    good + good.replace('main', 'other').replaceAll('login.', 'other.'),
    [/:11: .*introspection can be in one entry only.*"main" and "other"/],
  ],
};

describe('"introspection" in IDPS_FILE', () => {
  it('is loaded with its secret, which check does not print', async () => {
    const settings = settingsOf(good);
    const [provider] = (await loadConfig(settings)).providers;
    assert.equal(provider.introspection?.url, 'https://login.example.org/introspect');
    assert.equal(provider.introspection?.clientId, 'api');
    const { stdout } = await runVestibule(
      { ...settings, TEST_DIRECTORY: newDirectory(), DATABASE_URL: `sqlite:${newDirectory()}/x.db` },
      'check',
      '--json',
    );
    assert.ok(!stdout.includes(String(provider.introspection?.clientSecret)));
  });

  for (const [what, [text, says]] of Object.entries(mistakes)) {
    it(`${what} is refused with file and line`, async () => {
      await assert.rejects(loadConfig(settingsOf(text)), (error: SettingsError) => {
        assert.ok(error instanceof SettingsError);
        assert.equal(error.mistakes.length, says.length, error.message);
        for (const [index, pattern] of says.entries()) assert.match(String(error.mistakes[index]), pattern);
        return true;
      });
    });
  }
});

describe('a secret given instead of its file name', () => {
  for (const secret of ['hunter2-and-more', '123454321'])
    it(`is not printed: ${secret}`, async () => {
      const settings = { TEST_DIRECTORY: newDirectory(), ...settingsOf(good.replace('SECRET', secret)) };
      for (const command of ['check', 'doctor', 'serve']) {
        const { code, stdout, stderr } = await runVestibule(settings, command);
        assert.equal(code, 1, stdout);
        assert.match(stdout + stderr, /client_secret_file must .*is not shown, because it may be the secret/);
        assert.ok(!(stdout + stderr).includes(secret), stdout + stderr);
      }
    });
});

describe('doctor, introspection endpoint', () => {
  const trouble: Record<string, readonly [answer: Answer, says: RegExp]> = {
    'that rejects our credentials': [
      answerWith(401),
      /status 401; expected .*Check "client_id" and "client_secret_file"/,
    ],
    'that redirects': [
      answerWith(302, '', { location: '/' }),
      /status 302; expected .*redirects are not followed/,
    ],
    'that answers 404': [answerWith(404), /status 404; expected .*Check "url" of "introspection"/],
    'that calls every token active': [
      answerJson({ active: true }),
      /"active": true; expected .*the service would admit every caller/,
    ],
    'that answers other JSON': [answerJson({ hello: 'there' }), /not a JSON object with an "active"/],
  };
  it('reports the cause of each faulty answer', async (t) => {
    const endpoint = await AskedEndpoint.start();
    t.after(() => endpoint.stop());
    const url = `${endpoint.url}?key=hunter2`;
    const introspection = { url, clientId: 'api', clientSecret: opaqueToken() };
    const { origin } = new URL(endpoint.url);
    const settings = await introspectingSettings({ origin, introspection });
    for (const [what, [answer, says]] of Object.entries(trouble)) {
      endpoint.answer = answer;
      const { stdout } = await runVestibule(settings, 'doctor');
      const line = stdout.split('\n').find((text) => text.startsWith('FAIL  introspection')) ?? '';
      assert.match(line, says, what);
      assert.doesNotMatch(stdout, /hunter/);
    }
  });
});
