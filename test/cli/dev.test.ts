import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { endOf, failed, newDirectory } from '../support/outcome.ts';
import { freePort, takePort } from '../support/ports.ts';
import { part } from '../support/surroundings.ts';

/** A running `vestibule dev`, and what it printed before it said how to stop it. */
interface Development {
  readonly process: ChildProcess;
  readonly port: number;
  readonly providerPort: number;
  readonly welcome: string;
  /** SIGINT, as Ctrl-C sends it; the exit code. */
  stop(): Promise<number | null>;
}

/** What a careless environment says; development stays on loopback all the same. */
const careless = { HOST: '0.0.0.0', OPS_HOST: '0.0.0.0', BASE_URL: 'https://api.example.org', OPS_PORT: '0' };

async function startDevelopment(folder: string): Promise<Development> {
  await part('frontend');
  const [port, providerPort] = [await freePort(), await freePort()];
  const parameters = ['dev', '--port', String(port), '--provider-port', String(providerPort)];
  const child = spawn(process.execPath, [resolve('bin/vestibule.js'), ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...careless },
  });
  const exited = new Promise<number | null>((done) => child.on('close', done));
  child.stdout.pipe(createWriteStream(`${folder}/${port}.out`));
  const { promise, resolve: started, reject } = Promise.withResolvers<string>();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (stdout.includes('Stop with Ctrl-C.')) started(stdout);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  exited.then(() => reject(new Error(`It ended before it said welcome: ${stderr}`)));
  const stop = () => {
    child.kill('SIGINT');
    return exited;
  };
  return { process: child, port, providerPort, welcome: await promise, stop };
}

/** The examples as a person would paste them: each gets a token on one line and uses it on the next. */
function examplesIn(welcome: string): string[] {
  return welcome.match(/^ *TOKEN=.*\n *curl .*$/gm) ?? [];
}

function shell(script: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile('sh', ['-c', script], (error, stdout, stderr) =>
      error === null ? done(stdout) : fail(new Error(`${script}\n${error.message}\n${stderr}`)),
    );
  });
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
  before(async () => {
    await shell('command -v curl').catch(() => {
      throw new Error('This test runs the printed examples, and they need "curl": install it.');
    });
    first = await startDevelopment(folder);
  });
  after(async () => {
    await first?.stop();
    await second?.stop();
  });

  it('prints two examples, and both come in with 200 as they stand', async () => {
    const examples = examplesIn(first.welcome);
    assert.equal(examples.length, 2);
    for (const example of examples) {
      const answer = await shell(example);
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, example);
      assert.match(answer, /"id":"usr_[A-Za-z0-9_-]{43}"/);
    }
  });

  it('prints the settings with which the other commands find what it has started', async () => {
    const settings = /^ *export .*$/m.exec(first.welcome)?.[0] ?? '';
    const [tokenLine = ''] = String(examplesIn(first.welcome)[0]).split('\n');
    const vestibule = `${process.execPath} ${resolve('bin/vestibule.js')}`;
    const after = (command: string) => shell(`cd ${folder}; ${settings}; ${tokenLine}; ${command}`);
    assert.match(await after(`${vestibule} doctor`), /Nothing stands in the way/);
    assert.match(await after(`${vestibule} check`), /The settings are in order/);
    assert.match(await after(`printf %s "$TOKEN" | ${vestibule} explain`), /^Accepted\.$/m);
  });

  it('says where everything is, and it is there', async () => {
    const { welcome, port, providerPort } = first;
    assert.match(welcome, new RegExp(`service +http://127\\.0\\.0\\.1:${port}\\b`));
    assert.match(welcome, new RegExp(`provider +http://127\\.0\\.0\\.1:${providerPort}\\b`));
    const readiness = /health +(http:\S+)/.exec(welcome)?.[1] ?? '';
    assert.equal((await fetch(readiness)).status, 200);
    const discovery = await fetch(`http://127.0.0.1:${providerPort}/.well-known/openid-configuration`);
    const { issuer } = (await discovery.json()) as { issuer: string };
    assert.equal(issuer, `http://127.0.0.1:${providerPort}`);
  });

  it('says first which address to open, and there is the page, which knows where to sign in', async () => {
    const { welcome, port, providerPort } = first;
    const address = /\bhttp:\S+/.exec(welcome.slice(welcome.indexOf('Vestibule runs')))?.[0] ?? '';
    assert.equal(address, `http://127.0.0.1:${port}/`);
    const page = await fetch(address);
    assert.match(String(page.headers.get('content-type')), /^text\/html/);
    const config = (await (await fetch(`${address}web/config.json`)).json()) as Record<string, unknown>;
    assert.equal(config.issuer, `http://127.0.0.1:${providerPort}`);
    assert.equal(config.client_id, 'dev-web');
  });

  it('lets the page ask the provider, and no other origin', async () => {
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

  it('has pictures of the people that can sign in', async () => {
    const reply = await fetch(`http://127.0.0.1:${first.providerPort}/pictures/ada`);
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.match(await reply.text(), /^<svg /);
  });

  it('can be reached from this machine only, whatever the environment says', async () => {
    const open = await takePort('0.0.0.0');
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // An address of loopback that only those answer at who listen on all addresses.
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

  it('keeps the secrets it leaves in the folder for their owner only', () => {
    for (const name of ['dev-client.secret', 'vestibule.db', 'vestibule.db.secret']) {
      assert.equal(statSync(`${folder}/data/${name}`).mode & 0o777, 0o600, name);
    }
  });

  it('ends with exit code 0 on Ctrl-C', async () => {
    firstExit = await first.stop();
    assert.equal(firstExit, 0);
  });

  it('uses the same client when it is started again on the same data', async () => {
    const secret = readFileSync(`${folder}/data/dev-client.secret`, 'utf8').trim();
    second = await startDevelopment(folder);
    const [, example = ''] = examplesIn(second.welcome);
    assert.ok(example.includes(`"client_secret":"${secret}"`), 'the secret that was there');
    assert.ok(first.welcome.includes(secret), 'is the one printed at the first start');
    assert.match(await shell(example), /^HTTP\/1\.1 200 OK\r\n/);
  });

  for (const [name, option, howToChange] of [
    ['the service', '--port', /PORT=\d+/],
    ['the provider', '--provider-port', /--provider-port \d+/],
  ] as const) {
    it(`says that the port of ${name} is taken and how to choose another`, async () => {
      const taken = await takePort();
      const ports = { '--port': await freePort(), '--provider-port': await freePort(), [option]: taken.port };
      const parameters = ['dev', ...Object.entries(ports).flatMap(([key, value]) => [key, String(value)])];
      const outcome = await endOf({ OPS_PORT: '0' }, parameters);
      await taken.release();
      failed(outcome, new RegExp(`Port ${taken.port} on 127\\.0\\.0\\.1 is taken`));
      assert.match(outcome.stderr, howToChange);
    });
  }

  it('refuses a life of tokens that is none', async () => {
    const outcome = await endOf({ OPS_PORT: '0' }, ['dev', '--token-seconds', 'soon']);
    failed(outcome, /--token-seconds must be a whole number from 1 to 86400; found "soon"/);
  });

  it('says that the port of health and metrics is taken and how to choose another', async () => {
    const taken = await takePort();
    const parameters = [
      'dev',
      '--port',
      String(await freePort()),
      '--provider-port',
      String(await freePort()),
    ];
    const outcome = await endOf({ OPS_PORT: String(taken.port) }, parameters);
    await taken.release();
    failed(outcome, new RegExp(`Port ${taken.port} on 127\\.0\\.0\\.1 is taken.*OPS_PORT=\\d+`));
  });
});
