import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { endOf, exits, failed, newDirectory } from '../support/commands/outcome.ts';
import { exchange } from '../support/http/raw-http.ts';
import { until } from '../support/run/polling.ts';
import { freePort, takePort } from '../support/run/ports.ts';
import { type Development, shellIn, startDevelopment } from '../support/services/development.ts';

/** Settings of a careless environment; development stays on loopback all the same. */
const careless = {
  HOST: '0.0.0.0',
  OPS_HOST: '0.0.0.0',
  BASE_URL: 'https://api.example.org',
  DATABASE_URL: 'postgres://vestibule@127.0.0.1:1/production',
  OPS_PORT: '0',
};
/** Origins of a frontend in development. */
const frontends = ['http://localhost:5173', 'https://localhost:3443'];

/** The printed examples: each gets a token on one line and uses it on the next. */
function examplesIn(welcome: string): string[] {
  return welcome.match(/^ *TOKEN=.*\n *curl .*$/gm) ?? [];
}

function answersAt(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const finish = (answers: boolean) => {
      socket.destroy();
      done(answers);
    };
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
    socket.on('timeout', () => finish(false));
  });
}

describe('vestibule dev', () => {
  const folder = newDirectory();
  let first: Development;
  let firstExit: number | null;
  let second: Development;
  const shell = (script: string) => shellIn(folder, script);
  before(async () => {
    await shell('command -v curl').catch(() => {
      throw new Error('This test runs the printed examples, and they need "curl": install it.');
    });
    first = await startDevelopment(folder, { ...careless, CORS_ORIGINS: frontends.join(', ') });
  });
  after(async () => {
    await first?.stop();
    await second?.stop();
  });

  it('prints two examples that both answer 200', async () => {
    const examples = examplesIn(first.welcome);
    assert.equal(examples.length, 2);
    for (const example of examples) {
      const answer = await shell(example);
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, example);
      assert.match(answer, /"id":"usr_[A-Za-z0-9_-]{43}"/);
    }
  });

  it('names the settings that it does not use, and no other', () => {
    const [, names] = /"dev" ignores (.*)\. "dev --help"/.exec(first.printed()) ?? [];
    assert.equal(names, 'DATABASE_URL, BASE_URL, HOST, OPS_HOST');
  });

  it('prints a curl command that streams events', async () => {
    const [line = ''] = first.welcome.match(/^ *curl -N .*$/m) ?? [];
    const [tokenLine = ''] = String(examplesIn(first.welcome)[1]).split('\n');
    const shown = await shell(`${tokenLine}; ${line} -s --max-time 3 || true`);
    assert.match(shown, /^event: start$/m);
  });

  it('prints settings with which doctor, check and explain work', async () => {
    const settings = /^ *export .*$/m.exec(first.welcome)?.[0] ?? '';
    const [tokenLine = ''] = String(examplesIn(first.welcome)[0]).split('\n');
    const after = (command: string) => shell(`${settings}; ${tokenLine}; ${command}`);
    assert.match(await after('npx vestibule doctor'), /No check failed/);
    assert.match(await after('npx vestibule check'), /The settings are in order/);
    assert.match(await after('printf %s "$TOKEN" | npx vestibule explain'), /^Accepted\.$/m);
  });

  it('prints the addresses of service, provider and health, and all answer', async () => {
    const { welcome, port, providerPort } = first;
    assert.match(welcome, new RegExp(`service +http://127\\.0\\.0\\.1:${port}\\b`));
    assert.match(welcome, new RegExp(`provider +http://127\\.0\\.0\\.1:${providerPort}\\b`));
    const readiness = /health +(http:\S+)/.exec(welcome)?.[1] ?? '';
    assert.equal((await fetch(readiness)).status, 200);
    const discovery = await fetch(`http://127.0.0.1:${providerPort}/.well-known/openid-configuration`);
    const { issuer } = (await discovery.json()) as { issuer: string };
    assert.equal(issuer, `http://127.0.0.1:${providerPort}`);
  });

  it('prints the address of the page first, and the page knows its provider and that it is for a developer', async () => {
    const { welcome, port, providerPort } = first;
    const address = /\bhttp:\S+/.exec(welcome.slice(welcome.indexOf('Vestibule runs')))?.[0] ?? '';
    assert.equal(address, `http://127.0.0.1:${port}/`);
    const page = await fetch(address);
    assert.match(String(page.headers.get('content-type')), /^text\/html/);
    const config = (await (await fetch(`${address}web/config.json`)).json()) as {
      readonly providers: readonly Record<string, unknown>[];
      readonly dev?: true;
    };
    assert.equal(config.dev, true);
    const [only = {}, ...others] = config.providers;
    assert.deepEqual(others, []);
    assert.equal(only.issuer, `http://127.0.0.1:${providerPort}`);
    assert.equal(only.client_id, 'dev-web');
  });

  it('the provider allows CORS from the page only', async () => {
    const { port, providerPort } = first;
    const tryFrom = async (origin: string) => {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'dev-web',
        refresh_token: 'x',
      });
      const options = { method: 'POST', headers: { origin }, body };
      const reply = await fetch(`http://127.0.0.1:${providerPort}/token`, options);
      return reply.headers.get('access-control-allow-origin');
    };
    for (const own of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      assert.equal(await tryFrom(own), own);
    }
    assert.notEqual(await tryFrom('http://elsewhere.example'), 'http://elsewhere.example');
  });

  it('origins of CORS_ORIGINS can sign in and out and call the API; others cannot', async () => {
    const { port, providerPort } = first;
    const comesBackTo = async (path: string, parameters: Readonly<Record<string, string>>) => {
      const query = new URLSearchParams({ client_id: 'dev-web', ...parameters });
      const url = `http://127.0.0.1:${providerPort}${path}?${query}`;
      return (await fetch(url, { redirect: 'manual' })).status;
    };
    const signIn = (redirect_uri: string) => {
      const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
      return comesBackTo('/auth', { response_type: 'code', scope: 'openid', redirect_uri, ...challenge });
    };
    const signOut = (post_logout_redirect_uri: string) =>
      comesBackTo('/session/end', { post_logout_redirect_uri });
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      const url = `http://127.0.0.1:${port}/api/consumer/v1/me`;
      const reply = await fetch(url, { method: 'OPTIONS', headers });
      return reply.headers.get('access-control-allow-origin');
    };
    for (const origin of frontends) {
      for (const home of ['/', '/callback']) assert.equal(await signIn(`${origin}${home}`), 303, home);
      assert.equal(await signIn(`${origin}/elsewhere`), 400);
      assert.equal(await signOut(`${origin}/`), 200);
      assert.equal(await preflight(origin), origin);
      assert.ok(first.welcome.includes(origin), 'the welcome names it');
    }
    const stranger = 'http://localhost:5174';
    assert.equal(await signIn(`${stranger}/`), 400);
    assert.equal(await signOut(`${stranger}/`), 400);
    assert.equal(await preflight(stranger), null);
  });

  it('the sign-in page of an unlisted origin explains CORS_ORIGINS', async () => {
    const refusal = async (redirect_uri: string) => {
      const query = new URLSearchParams({ client_id: 'dev-web', response_type: 'code', redirect_uri });
      return (await fetch(`http://127.0.0.1:${first.providerPort}/auth?${query}`)).text();
    };
    const page = await refusal('http://localhost:5174/?<script>alert(1)</script>');
    const says = /at http:\/\/localhost:5174, .*CORS_ORIGINS.* start &quot;npx vestibule dev&quot; again/;
    assert.match(page, says);
    assert.ok(!page.includes('<script>'));
    assert.match(await refusal('nowhere'), /CORS_ORIGINS/);
  });

  it('the provider refuses other Host names (DNS rebinding)', async () => {
    const { providerPort } = first;
    const statusAt = async (host: string, method = 'GET', path = '/.well-known/openid-configuration') => {
      const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const answer = await exchange(`http://127.0.0.1:${providerPort}`, head);
      return Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
    };
    for (const own of ['127.0.0.1', 'localhost', 'LOCALHOST'])
      assert.equal(await statusAt(`${own}:${providerPort}`), 200, own);
    const others = [
      `rebound.example:${providerPort}`,
      'rebound.example',
      'localhost',
      `localhost:${providerPort}.rebound.example`,
      `localhost.rebound.example:${providerPort}`,
      `127.0.0.1:${first.port}`,
      '',
    ];
    for (const other of others) assert.equal(await statusAt(other), 421, other);
    const paths = ['/auth', '/token', '/dev/token?user=ada', '/interaction/x', '/pictures/ada'];
    for (const path of paths) {
      for (const method of ['GET', 'POST'])
        assert.equal(await statusAt(`rebound.example:${providerPort}`, method, path), 421, path);
    }
  });

  it('the provider serves pictures of its users', async () => {
    const reply = await fetch(`http://127.0.0.1:${first.providerPort}/pictures/ada`);
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.match(await reply.text(), /^<svg /);
  });

  it('listens on loopback only, whatever HOST is set to', async () => {
    const open = await takePort('0.0.0.0');
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // Only a listener on all addresses answers at this loopback address.
    const hosts = [...(process.platform === 'linux' ? ['127.0.0.2'] : []), ...others];
    assert.ok(hosts.length > 0, 'this machine has no other address to try');
    for (const host of hosts) assert.equal(await answersAt(host, open.port), true, `control: ${host}`);
    await open.release();

    const opsPort = Number(/health +http:\/\/127\.0\.0\.1:(\d+)/.exec(first.welcome)?.[1]);
    for (const port of [first.port, first.providerPort, opsPort]) {
      assert.equal(await answersAt('127.0.0.1', port), true);
      for (const host of hosts) assert.equal(await answersAt(host, port), false, `${host}:${port}`);
    }
  });

  it('secrets in the data folder have mode 600', () => {
    for (const name of ['dev-client.secret', 'dev.json', 'dev.db', 'dev.db.secret']) {
      assert.equal(statSync(`${folder}/data/${name}`).mode & 0o777, 0o600, name);
    }
  });

  it('successful requests are not logged by default', () => {
    assert.doesNotMatch(first.printed(), /^\{|\brequest\b/m);
  });

  it('Ctrl-C exits with 0 and removes the state file', async () => {
    firstExit = await first.stop();
    assert.equal(firstExit, 0);
    assert.equal(existsSync(`${folder}/data/dev.json`), false, 'nobody takes it for running');
  });

  it('a restart on the same data keeps the example client', async () => {
    const secret = readFileSync(`${folder}/data/dev-client.secret`, 'utf8').trim();
    second = await startDevelopment(folder, {
      ...careless,
      CORS_ORIGINS: frontends.join(', '),
      LOG_LEVEL: 'info',
    });
    const [, example = ''] = examplesIn(second.welcome);
    assert.ok(example.includes(`"client_secret":"${secret}"`), 'the secret that was there');
    assert.ok(first.welcome.includes(secret), 'is the one printed at the first start');
    assert.match(await shell(example), /^HTTP\/1\.1 200 OK\r\n/);
  });

  it('LOG_LEVEL=info logs requests as text', async () => {
    const line = /^\d\d:\d\d:\d\d info: request route=\/\.well-known\/jwks\.json method=GET status=200 /m;
    assert.equal((await fetch(`http://127.0.0.1:${second.port}/.well-known/jwks.json`)).status, 200);
    await until(second.printed, (text) => line.test(text), 'there is no line of the request');
    assert.doesNotMatch(second.printed(), /^\{/m);
  });

  for (const [option, howToChange] of [
    ['--port', /PORT=\d+/],
    ['--provider-port', /--provider-port \d+/],
    ['OPS_PORT', /OPS_PORT=\d+/],
  ] as const) {
    it(`a taken port (${option}) is reported with the way to change it`, async () => {
      const taken = await takePort();
      const free = { '--port': await freePort(), '--provider-port': await freePort(), OPS_PORT: 0 };
      const { OPS_PORT, ...ports } = { ...free, [option]: taken.port };
      const parameters = ['dev', ...Object.entries(ports).flat().map(String)];
      const outcome = await endOf({ OPS_PORT: String(OPS_PORT) }, parameters);
      await taken.release();
      failed(outcome, new RegExp(`Port ${taken.port} on 127\\.0\\.0\\.1 is taken`));
      assert.match(outcome.stderr, howToChange);
    });
  }

  it('an invalid --token-seconds is refused', async () => {
    const outcome = await endOf({ OPS_PORT: '0' }, ['dev', '--token-seconds', 'soon']);
    exits(2, outcome, /--token-seconds .*whole number from 1 to 86400/);
  });
});

describe('vestibule dev --dpop', () => {
  const folder = newDirectory();
  let development: Development;
  before(async () => {
    development = await startDevelopment(folder, { OPS_PORT: '0' }, [], ['--dpop']);
  });
  after(() => development?.stop());

  it('the page uses bound tokens, and the bearer examples still work', async () => {
    const reply = await fetch(`http://127.0.0.1:${development.port}/web/config.json`);
    assert.equal(((await reply.json()) as { dpop: boolean }).dpop, true);
    for (const example of examplesIn(development.welcome)) {
      assert.match(await shellIn(folder, example), /^HTTP\/1\.1 200 OK\r\n/, example);
    }
  });
});
