import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { succeeded } from '../support/outcome.ts';
import { newSettings, runVestibule, type Settings } from '../support/service.ts';

/** Everything that the profile asks for. */
const strict: Settings = {
  IDP_ORIGIN: 'https://login.example.org',
  BASE_URL: 'https://api.example.org',
  TRUSTED_PROXIES: '127.0.0.1',
  DPOP: 'required',
  DPOP_NONCE: 'required',
  ALLOWED_ALGORITHMS: 'PS256, ES256, EdDSA',
  REQUIRE_AT_JWT: 'true',
  MAX_TOKEN_LIFETIME_SECONDS: '600',
  TOKEN_SIGNING_ALG: 'ES256',
};

/** The same without what each entry of a list of providers has for itself. */
const ofOneProvider = /^(IDP_ORIGIN|MAX_TOKEN_LIFETIME_SECONDS|ALLOWED_ALGORITHMS|REQUIRE_AT_JWT)$/;
const strictWithList: Settings = Object.fromEntries(
  Object.entries(strict).filter(([name]) => !ofOneProvider.test(name)),
);

interface Found {
  readonly ok: boolean;
  readonly profile: string;
  readonly missing: readonly {
    readonly name: string;
    readonly expected: string;
    readonly found: string;
    readonly advice: string;
  }[];
  readonly met: readonly { readonly name: string }[];
  readonly notes: readonly string[];
}

async function missingOf(settings: Settings): Promise<Found['missing']> {
  const { code, stdout, stderr } = await runVestibule(settings, 'check', '--profile', 'fapi2', '--json');
  assert.equal(stderr, '');
  const found = JSON.parse(stdout) as Found;
  assert.equal(found.ok, found.missing.length === 0);
  assert.equal(code, found.ok ? 0 : 1);
  for (const { expected, found: isSet, advice } of found.missing)
    for (const text of [expected, isSet, advice]) assert.notEqual(text ?? '', '');
  return found.missing;
}

/** One setting less than all of them, and what is then missing. */
const single: Record<string, readonly [Settings, name: string, found: RegExp]> = {
  'unbound tokens': [{ DPOP: 'on' }, 'sender constraint', /^DPOP=on$/],
  'no tokens that are bound': [{ DPOP: 'off', DPOP_NONCE: 'off' }, 'sender constraint', /^DPOP=off$/],
  'proofs without a nonce': [{ DPOP_NONCE: 'off' }, 'proof nonce', /^DPOP_NONCE=off$/],
  RS256: [{ ALLOWED_ALGORITHMS: 'ES256, RS256' }, 'algorithms', /RS256/],
  PS512: [{ ALLOWED_ALGORITHMS: 'PS512' }, 'algorithms', /PS512/],
  'a provider without TLS': [{ IDP_ORIGIN: 'http://127.0.0.1:3000' }, 'provider', /^http:/],
  'tokens of any type': [{ REQUIRE_AT_JWT: 'false' }, 'token type', /false/],
  'tokens that live for a day': [{ MAX_TOKEN_LIFETIME_SECONDS: '86400' }, 'token lifetime', /86400/],
  'own tokens that live for a day': [{ TOKEN_TTL_SECONDS: '86400' }, 'own lifetime', /86400/],
  'own tokens by RS256': [{ TOKEN_SIGNING_ALG: 'RS256' }, 'own algorithm', /RS256/],
  'an address without TLS': [
    { BASE_URL: 'http://127.0.0.1:8080', TRUSTED_PROXIES: '' },
    'own address',
    /^http:/,
  ],
};

describe('check --profile fapi2', () => {
  it('finds nothing missing where everything is on, and says what no setting changes', async () => {
    const settings = await newSettings('sqlite', strict);
    assert.deepEqual(await missingOf(settings), []);
    const printed = succeeded(await runVestibule(settings, 'check', '--profile', 'fapi2'));
    assert.match(printed, /^Nothing that can be set is missing for the FAPI 2\.0 Security Profile\.$/m);
    assert.match(printed, /^- Behind a proxy/m);
  });

  for (const [what, [setting, name, found]] of Object.entries(single)) {
    it(`lists ${what}, and nothing else`, async () => {
      const missing = await missingOf(await newSettings('sqlite', { ...strict, ...setting }));
      assert.deepEqual(
        missing.map((one) => one.name),
        [name],
      );
      assert.match(missing[0]?.found ?? '', found);
    });
  }

  it('takes https in capitals for what it is', async () => {
    const shouted = await newSettings('sqlite', { ...strict, BASE_URL: 'HTTPS://api.example.org' });
    assert.deepEqual(await missingOf(shouted), []);
    const settings = await newSettings('sqlite', strictWithList);
    const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
    writeFileSync(
      file,
      '- name: one\n  origin: https://one.example\n  algorithms: ES256\n  require_at_jwt: true\n  max_token_lifetime_seconds: 600\n  events_audience: x\n  events_poll_url: HTTPS://one.example/poll\n',
    );
    assert.deepEqual(await missingOf({ ...settings, IDPS_FILE: file }), []);
  });

  it('lists a lifetime that nobody bounds, and a frontend', async () => {
    const { MAX_TOKEN_LIFETIME_SECONDS: _, ...unbounded } = strict;
    const missing = await missingOf(
      await newSettings('sqlite', { ...unbounded, WEB: 'on', WEB_DPOP: 'on', WEB_CLIENT_ID: 'web' }),
    );
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['token lifetime', 'frontend'],
    );
  });

  it('lists nearly everything of an ordinary service, a line each, and ends with 1', async () => {
    const settings = await newSettings('sqlite', { IDP_ORIGIN: 'http://127.0.0.1:3000' });
    const { code, stdout } = await runVestibule(settings, 'check', '--profile', 'fapi2');
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^FAIL {2}sender constraint +DPOP=on; expected only tokens bound .*Set DPOP=required/m,
    );
    assert.match(stdout, /^FAIL {2}algorithms +RS256; expected .*and set ALLOWED_ALGORITHMS=PS256,ES256$/m);
    assert.match(stdout, /^8 of 13 things are missing for the FAPI 2\.0 Security Profile\.$/m);
  });

  it('goes through a list of providers by their names', async () => {
    const settings = await newSettings('sqlite', strictWithList);
    const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
    const good = '  algorithms: ES256\n  require_at_jwt: true\n  max_token_lifetime_seconds: 600\n';
    writeFileSync(
      file,
      `- name: one\n  origin: https://one.example\n${good}- name: two\n  origin: https://two.example\n${good}  audience_claim: client_id\n`,
    );
    const missing = await missingOf({ ...settings, IDPS_FILE: file });
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['two: audience'],
    );
  });

  it('looks at every way to a provider', async () => {
    const settings = await newSettings('sqlite', strictWithList);
    const directory = settings.TEST_DIRECTORY;
    writeFileSync(`${directory}/secret`, 'secret');
    const good =
      '  issuer: https://one.example\n  algorithms: ES256\n  require_at_jwt: true\n  max_token_lifetime_seconds: 600\n';
    const ways: Record<string, string> = {
      introspection: `  introspection: { url: "http://127.0.0.1:9/?key=hunter2", client_id: x, client_secret_file: ${directory}/secret }\n`,
      events_poll_url: '  events_audience: x\n  events_poll_url: http://127.0.0.1:9/?key=hunter2\n',
    };
    for (const [way, members] of Object.entries(ways)) {
      const file = `${directory}/${way}.yaml`;
      writeFileSync(file, `- name: one\n  origin: https://one.example\n${good}${members}`);
      const missing = await missingOf({ ...settings, IDPS_FILE: file });
      assert.deepEqual(
        missing.map(({ name, found, advice }) => [name, found, advice]),
        [
          [
            'one: provider',
            'http://127.0.0.1:9/?...',
            `Set "${way}" of "one" in IDPS_FILE to an address with https.`,
          ],
        ],
      );
    }
  });

  it('counts the clients that have a secret, or a key for RS256, and names none', async () => {
    const settings = await newSettings('sqlite', strict);
    const keyFile = (name: string, jwk: object) => {
      const file = `${settings.TEST_DIRECTORY}/${name}.json`;
      writeFileSync(file, JSON.stringify(jwk));
      return file;
    };
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    const add = async (id: string, ...more: string[]) =>
      succeeded(await runVestibule(settings, 'client', 'add', id, ...more));
    await add('by-curve', '--public-key', keyFile('curve', curve));
    await add('by-pss', '--public-key', keyFile('pss', { ...rsa, alg: 'PS256' }));
    assert.deepEqual(await missingOf(settings), []);
    await add('by-rsa', '--public-key', keyFile('rsa', rsa));
    await add('by-secret');
    const missing = await missingOf(settings);
    assert.deepEqual(
      missing.map(({ name, found }) => [name, found]),
      [
        ['client secrets', '1 of 4 client(s) have a secret'],
        ['client keys', '1 of 4 client(s) have an RSA key that is not for PS256 alone'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(missing), /by-secret|by-rsa/);
    succeeded(await runVestibule(settings, 'client', 'disable', 'by-secret'));
    succeeded(await runVestibule(settings, 'client', 'remove', 'by-rsa', '--yes'));
    assert.deepEqual(await missingOf(settings), []);
  });

  it('knows no other profile', async () => {
    const { code, stderr } = await runVestibule(
      await newSettings('sqlite', strict),
      'check',
      '--profile',
      'x',
    );
    assert.equal(code, 2);
    assert.match(stderr, /Allowed choices are fapi2/);
  });
});
