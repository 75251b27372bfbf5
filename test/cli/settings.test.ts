import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig, loadStorageConfig, SettingsError } from '../../src/config/load.ts';
import { environmentName, settings } from '../../src/config/settings.ts';
import { exits, newDirectory } from '../support/commands/outcome.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

/** The settings without a default. */
const good: Settings = { IDP_ORIGIN: 'https://login.example.org', API_AUDIENCE: 'https://api.example.org' };

/** A wrong value for every setting that can be wrong, and the expected message. */
const wrong: Record<string, readonly [value: string, says: RegExp]> = {
  DATABASE_URL: ['mysql://root:hunter-2@db/x', /must be "sqlite:<file>" or "postgres:/],
  DATABASE_POOL_SIZE: ['0', /whole number from 1 to 200/],
  MIGRATE: ['yes', /one of auto, off/],
  MASTER_SECRET: ['too-short-hunter-3', /must be 256 random bits: at least 43 characters of base64/],
  LOG_LEVEL: ['loud', /one of trace, debug/],
  BASE_URL: ['ftp://api.example.org', /http or https URL/],
  HOST: ['not a host', /IP address or a host name/],
  PORT: ['65536', /whole number from 0 to 65535/],
  IDP_ORIGIN: ['https://login.example.org/realms/main', /origin with no path/],
  IDP_JWKS_PATH: ['jwks', /path that starts with one "\/"/],
  JWKS_MAX_STALE_SECONDS: ['59', /whole number from 60 to 604800/],
  IDP_ISSUER: ['x'.repeat(2001), /text of 1 to 2000 visible characters/],
  IDP_FORMER_ISSUER: ['x'.repeat(2001), /text of 1 to 2000 visible characters/],
  API_AUDIENCE: ['x'.repeat(2001), /text of 1 to 2000 visible characters/],
  REFUSALS_PER_MINUTE: ['0', /whole number from 1 to 1000000/],
  IDP_REQUIRED_SCOPES: ['read читать', /must be a scope: up to 128 characters of printable ASCII/],
  ALLOWED_ALGORITHMS: ['RS256, HS256', /one of RS256/],
  REQUIRE_AT_JWT: ['yes', /"true" or "false"/],
  MAX_TOKEN_LIFETIME_SECONDS: ['59', /whole number from 60 to 31536000/],
  DPOP: ['off, nonce', /must be "off", "on", or a list of/],
  TOKEN_TTL_SECONDS: ['1e3', /whole number from 30 to 86400/],
  TOKEN_SIGNING_ALG: ['HS256', /one of RS256, ES256, EdDSA/],
  WEB: ['yes', /one of on, off/],
  WEB_CLIENT_ID: ['x'.repeat(2001), /text of 1 to 2000 visible characters/],
  WEB_SCOPES: ['offline_access a"b', /must be a scope/],
  READS_PER_MINUTE: ['0', /whole number from 1/],
  NEWCOMERS_PER_HOUR: ['-1', /whole number from 0/],
  WEBHOOK_ALLOW: ['hooks.internal', /http or https URL/],
  TRUSTED_PROXIES: ['10.0.0.0/33', /CIDR/],
  CORS_ORIGINS: ['*', /http or https URL/],
  OPS_HOST: ['127.0.0.1:80', /IP address or a host name/],
  OPS_PORT: ['-1', /whole number from 0 to 65535/],
  CONSOLE: ['yes', /one of on, off/],
  OPS_TOKEN: ['short', /32/],
  MAX_BODY_BYTES: ['9999999', /whole number from 1024 to 1048576/],
  MAX_CONNECTIONS: ['many', /whole number from 10 to 100000/],
  MAX_CONNECTIONS_PER_ADDRESS: ['0', /whole number from 1 to 100000/],
  REQUEST_TIMEOUT_SECONDS: ['301', /whole number from 1 to 300/],
  KEEP_ALIVE_SECONDS: ['1.5', /whole number from 1 to 3600/],
  DRAIN_SECONDS: ['a while', /whole number from 0 to 300/],
};
/** Settings that accept any text. */
const anyText = [
  'MASTER_SECRET_FILE',
  'ERASURE_LOG',
  'IDPS_FILE',
  'COLLECTIONS_DIR',
  'BRAND_FILE',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
];

const moreWrong: readonly (readonly [name: string, value: string])[] = [
  ['DATABASE_URL', 'sqlite:'],
  ['DATABASE_URL', 'sqlite::memory:'],
  ['IDP_ORIGIN', 'ftp://login.example.org'],
  ['IDP_ORIGIN', 'https://LOGIN.example.org'],
  ['IDP_ORIGIN', 'https://user:password@login.example.org'],
  ['IDP_JWKS_PATH', '//evil.example/jwks'],
  ['IDP_JWKS_PATH', '/jwks?x=1'],
  ['IDP_REQUIRED_SCOPES', 'a"b'],
  ['IDP_REQUIRED_SCOPES', 'a\\b'],
  ['IDP_REQUIRED_SCOPES', 'a\u0001b'],
  ['IDP_REQUIRED_SCOPES', 'x'.repeat(129)],
  ['ALLOWED_ALGORITHMS', 'none'],
  ['ALLOWED_ALGORITHMS', 'rs256'],
  ['TOKEN_SIGNING_ALG', 'none'],
  ['TOKEN_SIGNING_ALG', 'PS256'],
  ['TRUSTED_PROXIES', '0.0.0.0/0'],
  ['TRUSTED_PROXIES', '::/0'],
  ['TRUSTED_PROXIES', 'proxy.example.org'],
  ['BASE_URL', 'https://api.example.org/'],
  ['BASE_URL', 'https://api.example.org/#x'],
  ['CORS_ORIGINS', 'https://www.example.org/app'],
  ['WEBHOOK_ALLOW', 'http://127.0.0.1:9000/hook'],
  ['WEBHOOK_ALLOW', '127.0.0.0/8'],
];

/** Settings that are valid alone but not together. */
const contradictions: Record<string, { changes: Settings; names: string[] }> = {
  'two master secrets': {
    changes: { MASTER_SECRET: newMasterSecret(), MASTER_SECRET_FILE: '/run/secrets/vestibule' },
    names: ['MASTER_SECRET', 'MASTER_SECRET_FILE'],
  },
  'PostgreSQL without a master secret': {
    changes: { DATABASE_URL: 'postgres://127.0.0.1/x' },
    names: ['MASTER_SECRET', 'MASTER_SECRET_FILE'],
  },
  'a remote PostgreSQL without sslmode': {
    changes: {
      DATABASE_URL: 'postgres://vestibule:hunter-2@db.example.org/x',
      MASTER_SECRET: newMasterSecret(),
    },
    names: ['DATABASE_URL', 'sslmode=verify-full', 'sslmode=disable'],
  },
  'a remote PostgreSQL named by the "host" parameter, without sslmode': {
    changes: { DATABASE_URL: 'postgres://127.0.0.1/x?host=10.0.0.7', MASTER_SECRET: newMasterSecret() },
    names: ['DATABASE_URL', 'sslmode=verify-full'],
  },
  'an unknown sslmode': {
    changes: { DATABASE_URL: 'postgres://db/x?sslmode=verified', MASTER_SECRET: newMasterSecret() },
    names: ['DATABASE_URL', 'sslmode=verify-full'],
  },
  'a certificate without its key': { changes: { TLS_CERT_FILE: 'tls.crt' }, names: ['TLS_KEY_FILE'] },
  'a key without its certificate': { changes: { TLS_KEY_FILE: 'tls.key' }, names: ['TLS_CERT_FILE'] },
  'plain HTTP on all addresses': {
    changes: { HOST: '0.0.0.0', BASE_URL: 'https://api.example.org' },
    names: ['HOST', 'TLS_CERT_FILE', 'TRUSTED_PROXIES'],
  },
  'plain HTTP on all IPv6 addresses': {
    changes: { HOST: '::', BASE_URL: 'https://api.example.org' },
    names: ['HOST', 'TLS_CERT_FILE', 'TRUSTED_PROXIES'],
  },
  'a provider over plain HTTP': {
    changes: { IDP_ORIGIN: 'http://login.example.org' },
    names: ['IDP_ORIGIN'],
  },
  'TRUSTED_PROXIES without BASE_URL': { changes: { TRUSTED_PROXIES: '10.0.0.7' }, names: ['BASE_URL'] },
  'PORT=0 without BASE_URL': { changes: { PORT: '0' }, names: ['BASE_URL'] },
  'an https BASE_URL without TLS files or proxies': {
    changes: { BASE_URL: 'https://api.example.org' },
    names: ['BASE_URL', 'TLS_CERT_FILE', 'TRUSTED_PROXIES'],
  },
  'an HTTPS BASE_URL in capitals without TLS files or proxies': {
    changes: { BASE_URL: 'HTTPS://api.example.org' },
    names: ['BASE_URL', 'TLS_CERT_FILE', 'TRUSTED_PROXIES'],
  },
  'a plain HTTP BASE_URL in capitals': {
    changes: { BASE_URL: 'HTTP://api.example.org' },
    names: ['BASE_URL=https://api.example.org'],
  },
  'a plain HTTP BASE_URL': { changes: { BASE_URL: 'http://api.example.org' }, names: ['BASE_URL'] },
  'a BASE_URL that is also the provider': {
    changes: { BASE_URL: 'https://login.example.org', TRUSTED_PROXIES: '10.0.0.7' },
    names: ['BASE_URL'],
  },
  'WEB=on without WEB_CLIENT_ID': { changes: { WEB: 'on' }, names: ['WEB', 'WEB_CLIENT_ID'] },
  'an empty ALLOWED_ALGORITHMS': { changes: { ALLOWED_ALGORITHMS: ',' }, names: ['ALLOWED_ALGORITHMS'] },
  'one port for PORT and OPS_PORT': { changes: { PORT: '8081' }, names: ['PORT', 'OPS_PORT'] },
};

async function mistakesOf(environment: Settings): Promise<readonly string[]> {
  try {
    await loadConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.mistakes;
  }
}

describe('settings', () => {
  it('a provider and an audience are enough', async () => {
    assert.deepEqual(await mistakesOf(good), []);
  });

  it('every setting is tested with a wrong value or accepts any text', () => {
    const names = Object.keys(settings).map(environmentName);
    assert.deepEqual([...Object.keys(wrong), ...anyText].sort(), names.sort());
  });

  it('every setting has a valid example', () => {
    for (const [key, setting] of Object.entries(settings)) {
      assert.doesNotThrow(() => setting.parse(setting.example.replace(/^\$\(.*\)$/, newMasterSecret())), key);
    }
  });

  for (const [name, [value, says]] of Object.entries(wrong)) {
    it(`a wrong ${name} is refused with its name, the fault and an example`, async () => {
      const [mistake, ...others] = await mistakesOf({ ...good, [name]: value });
      assert.deepEqual(others, []);
      describesMistake(String(mistake), name, value);
      assert.match(String(mistake), says);
    });
  }

  it('dangerous or meaningless values are refused', async () => {
    for (const [name, value] of moreWrong) {
      const mistakes = await mistakesOf({ ...good, [name]: value });
      assert.equal(mistakes.length, 1, `${name}=${value}`);
      assert.ok(String(mistakes[0]).startsWith(`${name} `), mistakes[0] ?? name);
    }
  });

  for (const [name, { changes, names }] of Object.entries(contradictions)) {
    it(`${name} is refused`, async () => {
      const [mistake, ...others] = await mistakesOf({ ...good, ...changes });
      assert.deepEqual(others, []);
      for (const named of names) assert.match(String(mistake), new RegExp(`\\b${named}\\b`));
      assert.doesNotMatch(String(mistake), /hunter/);
      assert.match(String(mistake), /Example: |for example /);
    });
  }

  it('a URL with a password is refused, and the password is not printed', async () => {
    const addresses = [
      'https://me:hunter2@login.example.org/x',
      'https://hunter2@login.example.org',
      'https://me:hunter2@login.例え.example',
      'me:hunter2@login',
    ];
    for (const name of ['IDP_ORIGIN', 'BASE_URL', 'CORS_ORIGINS', 'WEBHOOK_ALLOW'])
      for (const address of addresses) {
        const mistakes = String(await mistakesOf({ ...good, [name]: address }));
        assert.match(mistakes, new RegExp(`^${name} must .*; found "(https://)?\\.\\.\\.@login`));
        assert.doesNotMatch(mistakes, /hunter/);
      }
  });

  it('a URL with a query or fragment is refused, and its value is not printed', async () => {
    const addresses = {
      'https://login.example.org/x?key=hunter2': 'https://login.example.org/x?...',
      'https://login.example.org/x#hunter2': 'https://login.example.org/x#...',
      'ftp:/login.example.org/x?key=hunter2': 'ftp:/login.example.org/x?...',
      'login.example.org/x?key=hunter2#hunter3': 'login.example.org/x?...',
      'https://login.example.org/x?key=hunter2@hunter3': 'https://...',
      'https://me:hunter?2@hunter.example.org/x': 'https://...',
      'hunter?2:x//hunter3@login': '...',
    };
    for (const name of ['IDP_ORIGIN', 'BASE_URL', 'CORS_ORIGINS', 'WEBHOOK_ALLOW'])
      for (const [address, shown] of Object.entries(addresses)) {
        const mistakes = String(await mistakesOf({ ...good, [name]: address }));
        assert.ok(mistakes.startsWith(`${name} must `), mistakes);
        assert.ok(mistakes.includes(`; found "${shown}".`), mistakes);
        assert.doesNotMatch(mistakes, /hunter/);
      }
  });

  it('an invisible character is refused and shown escaped', async () => {
    const names = ['IDP_ISSUER', 'IDP_FORMER_ISSUER', 'API_AUDIENCE', 'WEB_CLIENT_ID'];
    for (const name of names)
      for (const code of ['0007', '00ad', '200b', '200f', '202e', '2060']) {
        const letter = String.fromCharCode(Number.parseInt(code, 16));
        const mistakes = await mistakesOf({ ...good, [name]: `https://a${letter}.example` });
        assert.equal(mistakes.length, 1);
        assert.match(String(mistakes), new RegExp(`^${name} must be a text of 1 to 2000 visible `));
        assert.ok(
          String(mistakes).includes(`; found "https://a\\u${code}.example". Example: `),
          String(mistakes),
        );
      }
    assert.deepEqual(await mistakesOf({ ...good, WEB_CLIENT_ID: 'می\u200cخواهم' }), []);
  });

  it('mistakes are printed on one line each, with control characters escaped', async () => {
    const settings = {
      ...good,
      TEST_DIRECTORY: newDirectory(),
      HOST: 'a\nb\u001b[2J',
      TRUSTED_PROXIES: 'x\u202ey',
    };
    const stderr = exits(
      1,
      await runVestibule(settings, 'check'),
      /^ {2}HOST must .*; found "a\\u000ab\\u001b\[2J"\. Example: .*$/m,
      /^ {2}TRUSTED_PROXIES must .* "x\\u202ey" is neither; found "x\\u202ey"\. .*$/m,
    );
    assert.equal(stderr.trimEnd().split('\n').length, 3);
  });

  it('a BASE_URL with a query or fragment is refused, even an empty one', async () => {
    const behindProxy = { ...good, TRUSTED_PROXIES: '10.0.0.7' };
    const says =
      /^BASE_URL must be a URL without user, query and fragment \(a path is allowed\); found "https:/;
    for (const end of ['?x', '#x', '?', '#', '/v?', '/v#']) {
      const mistakes = await mistakesOf({ ...behindProxy, BASE_URL: `https://api.example.org${end}` });
      assert.match(String(mistakes), says);
    }
  });

  it('a BASE_URL that needs encoding is refused with its encoded form', async () => {
    const plainForms = {
      'https://例え.example/v': 'https://xn--r8jz45g.example/v',
      'https://bücher.example': 'https://xn--bcher-kva.example',
      'https://api.example.org/ключ': 'https://api.example.org/%D0%BA%D0%BB%D1%8E%D1%87',
      'https://api.example.org/caf\u00e9': 'https://api.example.org/caf%C3%A9',
      'https://api.example.org/a b': 'https://api.example.org/a%20b',
      'https://api.example.org/a\u0001b': 'https://api.example.org/a%01b',
      'https://api.example.org/a\nb': 'https://api.example.org/ab',
      'https://api.example.org/"a"': 'https://api.example.org/%22a%22',
      'https://api.example.org/<a>': 'https://api.example.org/%3Ca%3E',
      'https://api.example.org\\a': 'https://api.example.org/a',
    };
    for (const [BASE_URL, plain] of Object.entries(plainForms)) {
      const [mistake, ...others] = await mistakesOf({ ...good, BASE_URL });
      assert.deepEqual(others, [], BASE_URL);
      assert.ok(String(mistake).startsWith('BASE_URL must be in its plain form,'), mistake ?? BASE_URL);
      assert.ok(String(mistake).includes(`: "${plain}"; found "`), String(mistake));
      const behindProxy = { ...good, TRUSTED_PROXIES: '10.0.0.7' };
      assert.deepEqual(await mistakesOf({ ...behindProxy, BASE_URL: plain }), []);
    }
  });

  it('a local PostgreSQL is accepted, and a remote one with an explicit TLS mode', async () => {
    const local = ['postgres://127.0.0.1/x', 'postgres://[::1]/x', 'postgres://localhost/x', 'postgres:///x'];
    const sockets = ['postgres:///x?host=/run/postgresql', 'postgres://u@%2Frun%2Fpostgresql/x'];
    const modes = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'];
    const elsewhere = [...modes.map((mode) => `postgres://db/x?sslmode=${mode}`), 'postgres://db/x?ssl=true'];
    for (const DATABASE_URL of [...local, ...sockets, ...elsewhere])
      await assert.doesNotReject(
        () => loadConfig({ ...good, DATABASE_URL, MASTER_SECRET: newMasterSecret() }),
        DATABASE_URL,
      );
  });

  it('every TLS mode of PostgreSQL that checks certificates becomes verify-full', async () => {
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      const DATABASE_URL = `postgres://db/x?sslmode=${mode}&sslrootcert=ca.crt`;
      const all = { ...good, DATABASE_URL, MASTER_SECRET: newMasterSecret() };
      const url = 'postgres://db/x?sslmode=verify-full&sslrootcert=ca.crt';
      assert.deepEqual((await loadConfig(all)).databaseUrl, { engine: 'postgres', url });
    }
  });

  it('loaded settings are frozen', async () => {
    assert.ok(Object.isFrozen(await loadConfig(good)));
    assert.ok(Object.isFrozen(loadStorageConfig({})));
  });

  it('missing required settings are named with meaning and example', async () => {
    const mistakes = await mistakesOf({});
    assert.equal(mistakes.length, 2);
    assert.match(String(mistakes[0]), /^IDP_ORIGIN is not set\. .+ Example: IDP_ORIGIN=https:/);
    assert.match(String(mistakes[1]), /^API_AUDIENCE is not set\. .+ Example: API_AUDIENCE=https:/);
  });

  it('serve reports all mistakes at once and prints no secret', async () => {
    const values = Object.fromEntries(Object.entries(wrong).map(([name, [value]]) => [name, value]));
    const stderr = exits(1, await runVestibule({ ...values, TEST_DIRECTORY: newDirectory() }, 'serve'));
    const [heading, ...lines] = stderr.trimEnd().split('\n');
    assert.equal(heading, 'vestibule: There are mistakes in the settings:');
    assert.equal(lines.length, Object.keys(wrong).length);
    for (const [name, [value]] of Object.entries(wrong)) {
      const line = lines.find((candidate) => candidate.startsWith(`  ${name} `));
      describesMistake(String(line).trim(), name, value);
    }
    assert.doesNotMatch(stderr, /hunter/);
  });
});

function describesMistake(mistake: string, name: string, value: string): void {
  assert.ok(mistake.startsWith(`${name} must `), mistake);
  assert.match(mistake, new RegExp(` Example: ${name}=\\S`));
  const isSecret = ['DATABASE_URL', 'MASTER_SECRET', 'OPS_TOKEN'].includes(name);
  assert.equal(mistake.includes(value), !isSecret, `${name}: the value is shown unless it is a secret`);
}
