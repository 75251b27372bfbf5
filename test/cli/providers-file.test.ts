import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, SettingsError } from '../../src/config/load.ts';
import { exits, newDirectory, succeeded } from '../support/commands/outcome.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

const folder = newDirectory();
const noCollections = newDirectory();
const file = `${folder}/providers.yaml`;
const good = {
  TEST_DIRECTORY: folder,
  DATABASE_URL: `sqlite:${folder}/vestibule.db`,
  COLLECTIONS_DIR: noCollections,
  IDPS_FILE: file,
  API_AUDIENCE: 'https://api.example.org',
};

const load = (text: string | Buffer, changes = {}) => {
  writeFileSync(file, text);
  return loadConfig({ ...good, ...changes });
};

/** Every mistake, with the path relative to the folder. */
async function mistakesIn(text: string | Buffer, changes = {}): Promise<readonly string[]> {
  try {
    await load(text, changes);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.mistakes.map((mistake) => mistake.replaceAll(`${folder}/`, ''));
  }
}

const entry = '- name: main\n  origin: https://login.example.org\n';
const other = '- name: other\n  origin: https://other.example.org\n';

describe('IDPS_FILE', () => {
  it('an entry needs a name and an origin; the rest has defaults', async () => {
    const { providers } = await load(entry);
    assert.equal(providers.length, 1);
    const { settings, ...provider } = providers[0];
    assert.deepEqual(provider, {
      name: 'main',
      title: 'main',
      origin: 'https://login.example.org',
      jwksUrl: 'https://login.example.org/.well-known/jwks.json',
      issuers: ['https://login.example.org', 'https://login.example.org/'],
      formerIssuer: null,
      audiences: ['https://api.example.org'],
      audienceClaim: 'aud',
      requiredClaims: {},
      allowsNonce: false,
      algorithms: ['RS256'],
      requiredScopes: [],
      scopesFrom: [['scope'], ['scp']],
      requireAtJwt: false,
      maxTokenLifetimeSeconds: null,
      webClientId: null,
      logoutAudiences: [],
    });
    assert.equal(settings.issuer, '"issuer" of "main" in IDPS_FILE');
  });

  it('every member of an entry is applied to that entry only', async () => {
    const text = [
      '- name: keycloak',
      '  title: Staff',
      '  origin: https://login.example.org',
      '  issuer: https://login.example.org/realms/main',
      '  jwks_path: /realms/main/protocol/openid-connect/certs',
      '  audience: [vestibule-api, other-api]',
      '  algorithms: [RS256, ES256]',
      '  required_scopes: api',
      '  scopes_from: [scope, [realm_access, roles]]',
      '  require_at_jwt: true',
      '  max_token_lifetime_seconds: 3600',
      '  web_client_id: vestibule-web',
      '- name: cognito',
      '  origin: https://cognito-idp.eu-central-1.amazonaws.com',
      '  issuer: https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example',
      '  audience: 1example23456789',
      '  audience_claim: client_id',
      '  required_claims: { "custom:tenant": acme, jti: true, token_use: true }',
      '  nonce_in_access_tokens: true',
    ].join('\n');
    const [keycloak, cognito] = (await load(text)).providers;
    assert.deepEqual(
      [keycloak.title, keycloak.jwksUrl, keycloak.issuers, keycloak.audiences, keycloak.algorithms],
      [
        'Staff',
        'https://login.example.org/realms/main/protocol/openid-connect/certs',
        ['https://login.example.org/realms/main'],
        ['vestibule-api', 'other-api'],
        ['RS256', 'ES256'],
      ],
    );
    const scopes = [keycloak.requiredScopes, keycloak.scopesFrom];
    assert.deepEqual(scopes, [['api'], [['scope'], ['realm_access', 'roles']]]);
    const others = [keycloak.requireAtJwt, keycloak.maxTokenLifetimeSeconds, keycloak.webClientId];
    assert.deepEqual(others, [true, 3600, 'vestibule-web']);
    // The required claim of Cognito's audience claim stays beside other required claims.
    assert.deepEqual(cognito?.requiredClaims, { token_use: 'access', 'custom:tenant': 'acme', jti: true });
    const ofCognito = [cognito?.audienceClaim, cognito?.allowsNonce, cognito?.requireAtJwt];
    assert.deepEqual(ofCognito, ['client_id', true, false]);
  });

  /** A line of an entry, and the mistake in it. */
  const wrongLines: Record<string, string | RegExp> = {
    'name: other': '"name" is there twice. Keep one of the two.',
    'audiance: x': 'audiance is not known here; did you mean "audience"?',
    'issuer: 7': 'issuer must be a text; found 7.',
    'audience: "a\\u200fb"':
      'audience must be a text of 1 to 2000 visible characters without blanks around it; found "a\\u200fb".',
    '"x\\e[2J": 1': 'x\\u001b[2J is not known here; no known name is similar.',
    'audience: []': /^audience .*found 0/,
    'logout_audience: []': /^logout_audience .*at least 1 item/,
    'audience: 12-x.apps.googleusercontent.com':
      'audience must not be the client id of a frontend at Google, because Google issues only ID tokens for it; found "12-x.apps.googleusercontent.com".',
    'algorithms: [RS256, HS256]': /^algorithms\.1 must be "RS256", .*; found "HS256"\.$/,
    'required_scopes: "read write"':
      'required_scopes must be a scope: up to 128 characters of printable ASCII without blanks, quotes and backslashes; found "read write".',
    'scopes_from: roles': /^scopes_from .*realm_access.*found "roles"/,
    'scopes_from: [scope, []]': /^scopes_from.1 .*found 0/,
    [`scopes_from: [${'a, '.repeat(100)}a]`]: /^scopes_from .*100 .*found 101/,
    [`scopes_from: [scope, [${'a, '.repeat(100)}a]]`]: /^scopes_from.1 .*100 .*found 101/,
    [`audience: [${'a, '.repeat(1000)}a]`]: /^audience .*1000 .*found 1001/,
    [`required_claims: {${Array.from({ length: 101 }, (_, index) => `c${index}: true`).join(', ')}}`]:
      /^required_claims .*100 .*found 101/,
    'require_at_jwt: "yes"': 'require_at_jwt must be true or false; found "yes".',
    'max_token_lifetime_seconds: 5':
      'max_token_lifetime_seconds must be a whole number from 60 to 31536000; found 5.',
    'required_claims: [token_use]': /^required_claims .*token_use.*found a list/,
    'nonce_in_access_tokens: true':
      'nonce_in_access_tokens accepts a claim that identifies ID tokens, and needs a claim in "required_claims" that only access tokens have.',
    'former_issuer: "https://old\\u200b.example.org"':
      'former_issuer must be a text of 1 to 2000 visible characters without blanks around it; found "https://old\\u200b.example.org".',
    'audience_claim: azp':
      'audience_claim is a claim that ID tokens also have, and needs "require_at_jwt", or a claim in "required_claims" that only access tokens have.',
  };
  for (const [line, says] of Object.entries(wrongLines)) {
    it(`"${line.slice(0, 60)}" is refused with file and line`, async () => {
      const [mistake = '', ...others] = await mistakesIn(`${entry}  ${line}\n`);
      assert.deepEqual(others, []);
      assert.ok(mistake.startsWith('providers.yaml:3: '), mistake);
      const text = mistake.slice('providers.yaml:3: '.length);
      if (typeof says === 'string') assert.equal(text, says);
      else assert.match(text, says);
    });
  }

  /** A file, and its mistakes with their lines. */
  const wrong: Record<string, readonly [text: string, ...says: string[]]> = {
    'an empty file': [
      '',
      '1: The file must be a list of 1 to 32 providers, each beginning with "- name:"; found nothing.',
    ],
    'a mapping': [
      'name: main\norigin: https://login.example.org\n',
      '1: The file must be a list of 1 to 32 providers, each beginning with "- name:"; found a mapping.',
    ],
    'a text as an entry': [
      `${entry}- https://other.example.org\n`,
      '3: This entry must be a mapping with members such as "name"; found "https://other.example.org".',
    ],
    'a tab': [
      '- name:\n\t- x\n',
      '2: This is not valid YAML: it is indented with a tab. Indent with spaces.',
    ],
    'an anchor': [
      '- name: &one main\n',
      '1: Anchors ("&") and aliases ("*") are not supported. Write the value out, or use $defs.',
    ],
    'no name and no origin': [
      '- title: Staff\n',
      '^1: This entry has no "name", which ',
      '1: This entry has no "origin", which is needed.',
    ],
    'a name with capitals and a blank': [
      '- name: Main Provider\n  origin: https://login.example.org\n',
      '1: name must be a name of 1 to 63 small letters, digits and "-" that begins with a letter; found "Main Provider".',
    ],
    'an origin with a path': [
      '- name: main\n  origin: https://login.example.org/realms/main\n',
      '2: origin must be an origin with no path, in its plain form: "https://login.example.org"; found "https://login.example.org/realms/main".',
    ],
    'an origin without TLS': [
      '- name: main\n  origin: http://login.example.org\n',
      `2: origin must be https, because an attacker can replace keys that are fetched over plain HTTP; found "http://login.example.org".`,
    ],
    'a control character in an issuer and a bidirectional mark in a title': [
      `${entry}  issuer: "https://login.example.org/\\a"\n  title: "ab\\u202Ecd"\n`,
      '3: issuer must be a text of 1 to 2000 visible characters without blanks around it; found "https://login.example.org/\\u0007".',
      '4: title must be a text of 1 to 2000 visible characters without blanks around it; found "ab\\u202ecd".',
    ],
    'zero-width characters': [
      `${entry}  issuer: "https://login\\u200b.example.org"\n  audience: ["a\\u2060b", "a\\u00adb", "a\\ufeffb"]\n`,
      '3: issuer must be a text of 1 to 2000 visible characters without blanks around it; found "https://login\\u200b.example.org".',
      ...['2060', '00ad', 'feff'].map(
        (code, index) =>
          `4: audience.${index} must be a text of 1 to 2000 visible characters without blanks around it; found "a\\u${code}b".`,
      ),
    ],
    'an audience with a number in it': [
      `${entry}  audience:\n    - one\n    - 2\n`,
      '5: audience.1 must be a text; found 2.',
    ],
    'a numeric required claim, and a claim with its own rules': [
      `${entry}  required_claims:\n    tier: 3\n    iss: me\n`,
      '4: required_claims.tier must be the required text of the claim, or true if the claim may have any value; found 3.',
      '5: required_claims.iss has its own rules and cannot be listed here.',
    ],
    'a name used twice': [
      `${entry}- name: main\n  origin: https://other.example.org\n`,
      '3: name is also the name of an earlier entry, and must be unique; found "main".',
    ],
    'an issuer used twice': [
      `${entry}- name: other\n  origin: https://keys.example.org\n  issuer: https://login.example.org/\n`,
      '5: issuer is the issuer of an earlier entry, and must be unique; found "https://login.example.org/".',
    ],
    'a former issuer that is the issuer of another': [
      `${entry}${other}  former_issuer: https://login.example.org/\n`,
      '5: former_issuer is also the issuer for pseudonyms of "main", so people with the same "sub" at both would share their records. Keep one of the two entries, or name another former issuer; found "https://login.example.org/".',
    ],
    'an issuer that is the former issuer of another': [
      `${entry}  former_issuer: https://other.example.org\n${other}`,
      '5: origin is also the issuer for pseudonyms of "main", so people with the same "sub" at both would share their records. Keep one of the two entries, or name another former issuer; found "https://other.example.org".',
    ],
    'a former issuer used twice': [
      `${entry}  former_issuer: https://old.example.org\n${other}  former_issuer: https://old.example.org\n`,
      '6: former_issuer is also the issuer for pseudonyms of "main", so people with the same "sub" at both would share their records. Keep one of the two entries, or name another former issuer; found "https://old.example.org".',
    ],
    'a password in an origin': [
      '- name: main\n  origin: https://me:hunter2@login.example.org\n',
      '2: origin must be an origin with no path, in its plain form: "https://login.example.org"; found "https://...@login.example.org".',
    ],
    'a long password in an origin': [
      `- name: main\n  origin: https://me:${'hunter2'.repeat(20)}@login.example.org\n`,
      '2: origin must be an origin with no path, in its plain form: "https://login.example.org"; found "https://...@login.example.org".',
    ],
    'a password in an origin without a scheme': [
      '- name: main\n  origin: me:hunter2@login.example.org\n',
      '2: origin must be an http or https URL; found "...@login.example.org".',
    ],
    'a key in jwks_path and in a URL given as an entry': [
      `${entry}  jwks_path: /jwks?key=hunter2\n- other.example.org?key=hunter2\n`,
      '3: jwks_path must be a path that starts with one "/"; found "/jwks?...".',
      '4: This entry must be a mapping with members such as "name"; found "other.example.org?...".',
    ],
    'a password in a URL given as an entry': [
      `${entry}- https://me:hunter/2@other.example.org\n`,
      '3: This entry must be a mapping with members such as "name"; found "https://...@other.example.org".',
    ],
  };
  for (const [name, [text, ...says]] of Object.entries(wrong)) {
    it(`${name} is refused with file and line`, async () => {
      const mistakes = await mistakesIn(text);
      assert.equal(mistakes.length, says.length, mistakes.join('\n'));
      for (const [index, mistake] of mistakes.entries()) {
        const said = String(says[index]);
        const text = mistake.replace('providers.yaml:', '');
        if (said.startsWith('^')) assert.match(text, new RegExp(said));
        else assert.equal(text, said);
      }
    });
  }

  it('the audience of logout tokens is empty, the client of the reference frontend, or logout_audience', async () => {
    const ofEntry = async (lines: string) => (await load(`${entry}${lines}`)).providers[0].logoutAudiences;
    const one = { IDP_ORIGIN: 'https://login.example.org', API_AUDIENCE: good.API_AUDIENCE };
    const ofSettings = async (more: Settings) =>
      (await loadConfig({ ...one, ...more })).providers[0].logoutAudiences;
    assert.deepEqual([await ofEntry(''), await ofSettings({})], [[], []]);
    const ofFrontend = [await ofEntry('  web_client_id: web\n'), await ofSettings({ WEB_CLIENT_ID: 'web' })];
    assert.deepEqual(ofFrontend, [['web'], ['web']]);
    assert.deepEqual(await ofEntry('  web_client_id: web\n  logout_audience: [a, b]\n'), ['a', 'b']);
  });

  it('1000 audiences in one entry are accepted', async () => {
    const clients = Array.from({ length: 1000 }, (_, index) => `client-${index}`);
    const list = `[${clients.join(', ')}]`;
    const { providers } = await load(`${entry}  audience: ${list}\n  logout_audience: ${list}\n`);
    assert.deepEqual([providers[0].audiences, providers[0].logoutAudiences], [clients, clients]);
  });

  it('titles in any language are accepted, with direction and joiner marks', async () => {
    const titles = ['עובדים\u200e (A)', '\u200fموظفون\u200f!', '\u061cA', 'می\u200cخواهم', '👩\u200d💻 team'];
    for (const title of titles) {
      const { providers } = await load(`${entry}  title: ${JSON.stringify(title)}\n`);
      assert.equal(providers[0].title, title);
    }
    const [mistake] = await mistakesIn(`${entry}  title: "\\u200f"\n`);
    assert.match(String(mistake), /title must be a text of 1 to 2000/);
  });

  it('audience_claim is accepted if require_at_jwt or a required claim rules out ID tokens', async () => {
    for (const line of ['require_at_jwt: true', 'required_claims: { kind: access }']) {
      const { providers } = await load(`${entry}  audience_claim: azp\n  ${line}\n`);
      assert.equal(providers[0].audienceClaim, 'azp');
    }
  });

  it('a byte order mark is accepted', async () => {
    const { providers } = await load(`\ufeff${entry}`);
    assert.equal(providers[0].name, 'main');
  });

  it('a file that is not UTF-8 is refused', async () => {
    const text = `${entry}  title: Café\n`;
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')])
      assert.deepEqual(await mistakesIn(bytes), [
        'The file "providers.yaml" (IDPS_FILE) is not UTF-8: save it in that encoding.',
      ]);
  });

  it('the first twenty mistakes are listed, then the number of further ones', async () => {
    const many = (count: number) =>
      `${entry}${Array.from({ length: count }, (_, index) => `  x${index}:\n`).join('')}`;
    assert.equal((await mistakesIn(many(21))).length, 21);
    const [long] = await mistakesIn(`${entry}  ? ${'x'.repeat(10_000)}\n`);
    assert.match(String(long), /^providers\.yaml:3: x{57}\.\.\. is not known here/);
    writeFileSync(file, many(20_000));
    const stderr = exits(1, await runVestibule(good, 'check'));
    const [heading, ...lines] = stderr.replaceAll(`${folder}/`, '').trimEnd().split('\n');
    assert.equal(heading, 'vestibule: There are mistakes in the settings:');
    assert.equal(lines.length, 21);
    assert.equal(lines[19], '  providers.yaml:22: x19 is not known here; no known name is similar.');
    assert.equal(lines[20], '  providers.yaml:23: 19,980 more mistakes, not shown.');
  });

  it('a file that is too long, too large or missing is refused', async () => {
    const many = Array.from(
      { length: 33 },
      (_, index) => `- name: p${index}\n  origin: https://p${index}.example.org\n`,
    );
    const tooLong = String(await mistakesIn(many.join('')));
    assert.match(tooLong, /^providers\.yaml:1: The file must be a list of 1 to 32/);
    const tooLarge = String(await mistakesIn(`# ${'x'.repeat(262_144)}\n${entry}`));
    assert.match(tooLarge, /is larger than 262144 bytes/);
    const nowhere = { IDPS_FILE: `${folder}/nowhere.yaml` };
    assert.deepEqual(await mistakesIn(entry, nowhere), [
      'The file "nowhere.yaml" (IDPS_FILE) cannot be read (ENOENT).',
    ]);
  });

  it('mistakes are reported together with those of the other settings', async () => {
    const text = '- name: main\n  origin: http://login.example.org\n- name: main\n  algorithms: none\n';
    const mistakes = await mistakesIn(text, { API_AUDIENCE: '', PORT: 'x' });
    assert.deepEqual(mistakes.map((mistake) => mistake.split(' ', 2).join(' ')).sort(), [
      'API_AUDIENCE is',
      'PORT must',
      'providers.yaml:2: origin',
      'providers.yaml:3: This',
      'providers.yaml:4: algorithms',
    ]);
    const missing = await mistakesIn(entry, { IDPS_FILE: `${folder}/nowhere.yaml`, PORT: 'x' });
    assert.equal(missing.length, 2, missing.join('\n'));
  });

  it('a setting that each entry has for itself is refused beside the file', async () => {
    const beside = {
      IDP_ORIGIN: 'https://login.example.org',
      IDP_ISSUER: 'https://login.example.org/',
      IDP_FORMER_ISSUER: 'https://old.example.org',
      IDP_JWKS_PATH: '/jwks',
      IDP_REQUIRED_SCOPES: 'api',
      ALLOWED_ALGORITHMS: 'ES256',
      REQUIRE_AT_JWT: 'true',
      MAX_TOKEN_LIFETIME_SECONDS: '600',
      WEB_CLIENT_ID: 'web',
    };
    for (const [name, value] of Object.entries(beside)) {
      const [mistake, ...others] = await mistakesIn(entry, { [name]: value });
      assert.deepEqual(others, []);
      const says = new RegExp(`^IDPS_FILE and ${name} are set, .* each provider in that file has its own`);
      assert.match(String(mistake), says);
    }
  });

  it("an entry with the service's own issuer is refused", async () => {
    const [mistake, ...others] = await mistakesIn(entry, {
      BASE_URL: 'https://login.example.org',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    assert.deepEqual(others, []);
    assert.match(String(mistake), /^BASE_URL is also the issuer of the provider "main"/);
  });

  it('a former issuer equal to BASE_URL is refused, in an entry and as a setting', async () => {
    const text = `${entry}  former_issuer: https://api.example.org\n`;
    const behind = { BASE_URL: 'https://api.example.org', TRUSTED_PROXIES: '127.0.0.1' };
    const mistakes = String(await mistakesIn(text, behind));
    assert.match(mistakes, /^"former_issuer" of "main" in IDPS_FILE is BASE_URL/);
    const alone = {
      IDPS_FILE: '',
      IDP_ORIGIN: 'https://login.example.org',
      IDP_FORMER_ISSUER: 'https://api.example.org',
    };
    assert.match(String(await mistakesIn('', { ...behind, ...alone })), /^IDP_FORMER_ISSUER is BASE_URL/);
  });

  it('former issuers that keep callers apart are accepted', async () => {
    const moved = `${entry}  former_issuer: https://old.example.org\n`;
    const { providers } = await load(`${moved}${other}  former_issuer: https://login.example.org\n`);
    const former = providers.map(({ formerIssuer }) => formerIssuer);
    assert.deepEqual(former, ['https://old.example.org', 'https://login.example.org']);
  });

  it('check reports mistakes on standard error, and valid entries by name', async () => {
    writeFileSync(file, `${entry}  audiance: x\n- name: other\n`);
    const { code, stdout, stderr } = await runVestibule(good, 'check');
    assert.deepEqual([code, stdout], [1, '']);
    const said = stderr.replaceAll(`${folder}/`, '');
    const says =
      /^vestibule: There are mistakes in the settings:\n {2}providers\.yaml:3: audiance.*\n {2}providers\.yaml:4: /;
    assert.match(said, says);
    writeFileSync(file, `${entry}- name: other\n  origin: https://other.example.org\n`);
    const withoutEval = { ...good, NODE_OPTIONS: '--disallow-code-generation-from-strings' };
    const shown = succeeded(await runVestibule(withoutEval, 'check'));
    const table =
      /^PROVIDERS +ISSUER +AUDIENCE\nmain +https:.*\nother +https:\/\/other\.example\.org or .*\n\n/m;
    assert.match(shown, table);
    assert.match(shown, /^The database has no readable keys of "main"/m);
    assert.match(shown, /^The database has no readable keys of "other"/m);
    const { providers } = JSON.parse(succeeded(await runVestibule(good, 'check', '--json')));
    assert.deepEqual(providers, { main: null, other: null });
  });
});
