import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { head, parseReply } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  addClient,
  fileOf,
  newSettings,
  runVestibule,
  type Service,
  startService,
} from '../support/services/service.ts';
import { childrenOf, endings, serving } from '../support/services/supervised.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { credentialsBody } from '../support/tokens/token-endpoint.ts';

const settings = { TEST_SERVE_OPTIONS: '--processes 2' };

/** Settings for two processes, with a provider of their own. */
async function place(t: TestContext) {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  return newSettings('sqlite', { ...provider.settings, ...settings });
}

describe('a process that can no longer start', () => {
  let provider: TestProvider;
  let service: Service;
  let secretFile = '';
  before(async () => {
    provider = await TestProvider.start();
    const all = await newSettings('sqlite', { ...provider.settings, ...settings });
    secretFile = `${fileOf(all)}.secret`;
    service = await startService(all);
  });
  after(async () => {
    await provider.stop();
    service.process.kill('SIGTERM');
    const [code] = await once(service.process, 'close');
    assert.equal(code, 0);
  });

  it('is restarted after 1, 2 and 4 seconds; the other one serves and reports it', async () => {
    renameSync(secretFile, `${secretFile}.away`);
    process.kill(childrenOf(service)[0] as number, 'SIGKILL');
    const ends = () => endings(service);
    const lines = await until(ends, ({ length }) => length >= 4, 'it is not tried again', 30_000);
    const delays = lines.slice(0, 4).map(({ again_in_ms: delay }) => Number(delay));
    assert.deepEqual(delays.slice(1), [1_000, 2_000, 4_000]);
    assert.ok((delays[0] as number) <= 1_000);
    const reply = await request(`${service.opsUrl}/readyz`);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.json().processes, { wanted: 2, serving: 1, silent: 0 });
    assert.equal((await request(`${service.url}/.well-known/jwks.json`)).status, 200);
  });

  it('is restarted once it can start', async () => {
    renameSync(`${secretFile}.away`, secretFile);
    await serving(service, 2);
  });
});

describe('a first process that cannot start', () => {
  it('ends the supervisor with its message and exit code', async (t) => {
    const all = await place(t);
    const file = `${all.TEST_DIRECTORY}/no-database`;
    writeFileSync(file, 'these are notes and no database '.repeat(100));
    const broken = { ...all, MASTER_SECRET: newMasterSecret(), DATABASE_URL: `sqlite:${file}` };
    const { code, stderr } = await runVestibule(broken, 'serve', '--processes', '2');
    assert.equal(code, 1);
    assert.match(stderr, /^vestibule: The SQLite file .* cannot be used/m);
    const says =
      /^vestibule: The first of 2 processes has not started\. Its messages above have the reason\.$/m;
    assert.match(stderr, says);
  });
});

describe('signals to a supervisor', () => {
  it('SIGTERM lets requests in flight finish in all processes, also in a replaced one, and exits with 0', async (t) => {
    const all = await place(t);
    const body = credentialsBody({ id: 'caller', secret: await addClient(all, 'caller') });
    const service = await startService(all);
    process.kill(childrenOf(service)[0] as number, 'SIGKILL');
    await serving(service, 1);
    await serving(service, 2);
    const { hostname, port } = new URL(service.url);
    const flights = await Promise.all(
      Array.from({ length: 24 }, async () => {
        const socket = connect(Number(port), hostname);
        let received = '';
        socket.on('data', (chunk) => {
          received += chunk.toString('latin1');
        });
        const closed = once(socket, 'close');
        const type = 'content-type: application/json';
        socket.write(head('POST', '/token', type, `content-length: ${body.length}`, 'expect: 100-continue'));
        await once(socket, 'data');
        received = '';
        return { socket, closed, reply: () => parseReply(received) };
      }),
    );
    const ended = once(service.process, 'close');
    service.process.kill('SIGTERM');
    const stopping = () =>
      service.logLines().filter(({ msg, process }) => msg === 'stopping' && process !== undefined);
    await until(stopping, ({ length }) => length === 2, 'not all of them stop');
    const ready = await request(`${service.opsUrl}/readyz`);
    assert.deepEqual([ready.status, ready.json().status], [503, 'stopping']);
    for (const { socket } of flights) socket.write(body);
    for (const { closed, reply } of flights) {
      await closed;
      assert.equal(reply().status, 200);
    }
    assert.deepEqual(await ended, [0, null]);
    const lastWord = () => service.logLines().at(-1)?.msg;
    await until(lastWord, (message) => message === 'stopped', 'it does not say that it has stopped');
  });

  it('SIGHUP reloads the certificate in all processes', async (t) => {
    const all = await place(t);
    const elsewhere = await newSettings('sqlite', {});
    const first = await writeTlsFiles(String(all.TEST_DIRECTORY));
    const second = await writeTlsFiles(String(elsewhere.TEST_DIRECTORY));
    const files = { TLS_CERT_FILE: first.certificateFile, TLS_KEY_FILE: first.keyFile };
    const service = await startService({ ...all, ...files });
    const shown = () => Promise.all(Array.from({ length: 30 }, () => fingerprint(service.url)));
    const before = new Set(await shown());
    cpSync(second.certificateFile, first.certificateFile);
    cpSync(second.keyFile, first.keyFile);
    service.process.kill('SIGHUP');
    const renewed = () => service.logLines().filter(({ msg }) => msg === 'certificate read again');
    await until(renewed, ({ length }) => length === 2, 'not all have read it');
    const now = new Set(await shown());
    assert.deepEqual([before.size, now.size, before.isDisjointFrom(now)], [1, 1, true]);
    await service.stop();
    first.remove();
    second.remove();
  });
});

describe('stopping a supervisor', () => {
  const running = deployment({ settings });

  it('[F161] with two SIGTERMs works as with one', async () => {
    const { service } = running();
    const ended = once(service.process, 'close');
    service.process.kill('SIGTERM');
    service.process.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('[F161] while its first process starts, exits cleanly and leaves no process', async () => {
    const env = { PATH: process.env.PATH, ...running().service.settings };
    const supervisor = spawn(process.execPath, ['bin/vestibule.js', 'serve', '--processes', '2'], {
      env,
      stdio: 'ignore',
    });
    const ended = once(supervisor, 'exit');
    const started = () => childrenOf({ process: supervisor });
    const children = await until(started, ({ length }) => length > 0, 'it starts no process');
    supervisor.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(children.filter(isRunning), []);
  });
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** The fingerprint of the certificate of a new connection. */
function fingerprint(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const where = { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false };
  const socket = connectTls(where, () => {
    resolve(socket.getPeerCertificate().fingerprint256);
    socket.end();
  });
  socket.on('error', reject);
  return promise;
}
