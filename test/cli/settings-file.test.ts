import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exits, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

interface InForce {
  readonly name: string;
  readonly value: string | null;
  readonly from: 'default' | 'set';
}

const good = 'IDP_ORIGIN=https://login.example.org\nAPI_AUDIENCE=https://api.example.org\n';

describe('settings file', () => {
  it('provides settings that the environment does not set', async () => {
    const inForce = await check(`# The port of the proxy.\n${good}PORT=9001\nHOST="127.0.0.2"\n`, {});
    assert.deepEqual(inForce('PORT'), { name: 'PORT', value: '9001', from: 'set' });
    assert.equal(inForce('HOST').value, '127.0.0.2');
    assert.equal(inForce('IDP_ORIGIN').value, 'https://login.example.org');
    assert.deepEqual(inForce('OPS_PORT'), { name: 'OPS_PORT', value: '8081', from: 'default' });
  });

  it('the environment takes precedence', async () => {
    const inForce = await check(`${good}PORT=9001\nTOKEN_TTL_SECONDS=60\n`, { PORT: '9002' });
    assert.equal(inForce('PORT').value, '9002');
    assert.equal(inForce('TOKEN_TTL_SECONDS').value, '60');
  });

  it('applies if the environment variable is empty', async () => {
    const inForce = await check(`${good}PORT=9001\n`, { PORT: '', API_AUDIENCE: ' ' });
    assert.equal(inForce('PORT').value, '9001');
    assert.equal(inForce('API_AUDIENCE').value, 'https://api.example.org');
  });

  it('unknown names are reported with all other mistakes', async () => {
    const file = settingsFile('IDP_ORIGIN=https://login.example.org\nPROT=9001\nIDP_URL=x\nOPS_PORT=x\n');
    for (const command of ['check', 'serve', 'explain']) {
      exits(
        1,
        await vestibule({}, '--settings', file, command),
        /^vestibule: There are mistakes in the settings:\n(?: {2}.*\n){4}$/,
        /settings\.env" sets PROT, which is not a setting; did you mean "PORT"\?$/m,
        /settings\.env" sets IDP_URL, which is not a setting\. Remove it\.$/m,
        /^ {2}OPS_PORT must be a whole number/m,
        /^ {2}API_AUDIENCE is not set/m,
      );
    }
    const { stdout } = await vestibule({}, '--settings', file, 'doctor');
    const suggestion = /^FAIL {2}settings .*did you mean "PORT"\? See docs\/config\.md for every setting\.$/m;
    assert.match(stdout, suggestion);
    const unknown =
      /There are mistakes in the settings:\n.* sets (PROT|IDP_URL), .*\n.* sets (PROT|IDP_URL), /;
    exits(1, await vestibule({}, '--settings', file, 'client', 'list'), unknown);
  });

  it('a slip in the name of an environment variable is reported, and other variables are not', async () => {
    const cases: Record<string, string | null> = {
      IDP_ORIGN: 'IDP_ORIGIN',
      TRUSTED_PROXY: null,
      TRUSTED_PROXIE: 'TRUSTED_PROXIES',
      DATABSE_URL: 'DATABASE_URL',
      MAX_BODY_BYTE: 'MAX_BODY_BYTES',
      LOGLEVEL: 'LOG_LEVEL',
      // Of OpenSSL, of shells and of Kubernetes.
      SSL_CERT_FILE: null,
      HOSTS: null,
      POST: null,
      VESTIBULE_PORT: null,
    };
    for (const [name, meant] of Object.entries(cases)) {
      const environment = { API_AUDIENCE: 'https://api.example.org', IDPS_FILE: '/nowhere', [name]: 'x' };
      const { stderr } = await vestibule(environment, 'check');
      if (meant === null) assert.doesNotMatch(stderr, new RegExp(name));
      else assert.match(stderr, new RegExp(`sets ${name}, which is not a setting; did you mean "${meant}"`));
    }
    const both = { IDP_ORIGIN: 'https://login.example.org', IDP_ORIGN: 'of another program' };
    succeeded(await vestibule({ ...both, API_AUDIENCE: 'https://api.example.org' }, 'check'));
  });

  it('a line without "=" is refused with its number', async () => {
    const file = settingsFile(`# PORT 1\n${good}\nPORT 9000\r\nERASURE_LOG="two\nlines"\n  # x\nHOST\n`);
    for (const command of ['check', 'serve']) {
      const stderr = exits(1, await vestibule({}, '--settings', file, command));
      const lines = [...stderr.matchAll(/settings\.env", line (\d+),/g)].map(([, line]) => line);
      assert.deepEqual(lines, ['5', '9']);
      assert.doesNotMatch(stderr, /9000/, 'the text may be a secret');
    }
  });

  it('a missing file is named', async () => {
    const missing = `${newDirectory()}/nowhere.env`;
    refused(await vestibule({}, '--settings', missing, 'check'), /nowhere\.env" \(--settings\).*\(ENOENT\)/);
  });

  it('a byte order mark is accepted, and a file that is not UTF-8 is refused', async () => {
    const inForce = await check(`\ufeffPORT=9001\n${good}`, {});
    assert.equal(inForce('PORT').value, '9001');
    const file = settingsFile(Buffer.from(`${good}IDP_ISSUER=https://login.example.org/café\n`, 'latin1'));
    refused(await vestibule({}, '--settings', file, 'check'), /settings\.env" \(--settings\) is not UTF-8/);
  });

  it('is validated like the environment', async () => {
    const outcome = await vestibule({}, '--settings', settingsFile(`${good}PORT=x\n`), 'check');
    exits(1, outcome, /There is a mistake in the settings:\n {2}PORT must be a whole number/);
  });

  it('works for commands that need the storage settings only', async () => {
    const directory = newDirectory();
    const file = settingsFile(`DATABASE_URL=sqlite:${directory}/from-file.db\n`);
    succeeded(await vestibule({}, '--settings', file, 'client', 'add', 'billing'));
    assert.match(succeeded(await vestibule({}, '--settings', file, 'client', 'list')), /^billing +active /m);
  });
});

describe('an empty environment variable', () => {
  it('counts as not set', async () => {
    const environment = {
      IDP_ORIGIN: 'https://login.example.org',
      API_AUDIENCE: 'x',
      PORT: '',
      DATABASE_URL: '',
    };
    const outcome = await vestibule(environment, 'check', '--json');
    const { settings } = JSON.parse(succeeded(outcome)) as { settings: InForce[] };
    const found = (name: string) => settings.find((setting) => setting.name === name);
    assert.deepEqual(found('PORT'), { name: 'PORT', value: '8080', from: 'default' });
    assert.deepEqual(found('DATABASE_URL'), {
      name: 'DATABASE_URL',
      value: 'sqlite:./data/vestibule.db',
      from: 'default',
    });
  });

  it('does not satisfy a required setting', async () => {
    const outcome = await vestibule({ IDP_ORIGIN: 'https://login.example.org', API_AUDIENCE: '' }, 'check');
    exits(1, outcome, /API_AUDIENCE is not set/);
  });
});

function vestibule(environment: Settings, ...parameters: string[]) {
  return runVestibule({ TEST_DIRECTORY: newDirectory(), ...environment }, ...parameters);
}

function settingsFile(content: string | Buffer): string {
  const file = `${newDirectory()}/settings.env`;
  writeFileSync(file, content);
  return file;
}

/** The effective settings with that file and that environment. */
async function check(content: string, environment: Settings): Promise<(name: string) => InForce> {
  const outcome = await vestibule(environment, '--settings', settingsFile(content), 'check', '--json');
  const { settings } = JSON.parse(succeeded(outcome)) as { settings: InForce[] };
  return (name) => {
    const found = settings.find((setting) => setting.name === name);
    assert.ok(found, name);
    return found;
  };
}
