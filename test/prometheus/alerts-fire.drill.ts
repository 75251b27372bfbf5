import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { newDirectory } from '../support/commands/outcome.ts';
import { insertAll } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { head } from '../support/http/raw-http.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { concurrently } from '../support/load/flood.ts';
import { openMany, RawConnection } from '../support/load/raw-connection.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import {
  clockedProcess,
  fileOf,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { childrenOf } from '../support/services/supervised.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';
import { Prometheus, readAlerts } from './prometheus.ts';

const hourMs = 3_600_000;

const later = new AsyncDisposableStack();
after(() => later.disposeAsync());
const provider = await TestProvider.start();
later.defer(() => provider.stop());
const caller = async (service: Service, sub = 'somebody') =>
  new ApiCaller(service.url, await provider.token({ sub }));
/** With settings of its own, a database of its own and the common provider. */
const settingsFor = (engine: 'sqlite' | 'postgres', overrides: Settings = {}) =>
  newSettings(engine, { ...ownProcess, ...provider.settings, COLLECTIONS_DIR: 'collections', ...overrides });
const start = async (...settings: Parameters<typeof settingsFor>) => {
  const service = await startService(await settingsFor(...settings));
  later.defer(() => service.stop());
  return service;
};
const tlsFolder = newDirectory();
const { certificateFile, keyFile, remove } = await writeTlsFiles(tlsFolder);
later.defer(remove);
const sqlite = await start('sqlite', { MAX_CONNECTIONS: '50' });
const postgres = await start('postgres', { DATABASE_POOL_SIZE: '2' });
const clocked = await start('sqlite', { ...clockedProcess, WEBHOOK_ALLOW: 'loopback' });
const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
const files = { TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, BASE_URL: 'https://127.0.0.1' };
let tls = await startService(await settingsFor('sqlite', { ...ports, ...files }));
later.defer(() => tls.stop());
const prometheus = await Prometheus.start([sqlite, postgres, clocked, tls].map(({ opsUrl }) => opsUrl));
later.defer(() => prometheus.stop());
const fires = (...names: string[]) => prometheus.fires(names);

/** Causes the fault behind each alert in a real process that a real Prometheus scrapes. */
describe('an alert fires when', () => {
  it('(control) nothing is wrong: no alert fires', async () => {
    await until(
      () => prometheus.query('sum(count_over_time(vestibule_build_info[1m]))'),
      ([looks]) => Number(looks?.value) >= 24,
      'Prometheus does not look',
    );
    // On a busy machine this one fires without a fault, because its "for" of five minutes is removed.
    const fired = [...(await prometheus.fired())].filter((name) => name !== 'VestibuleEventLoopLate');
    assert.deepEqual(fired, []);
  });

  it('the certificate in use expires soon', async () => {
    await writeTlsFiles(tlsFolder, new Date(Date.now() + 3 * 24 * hourMs));
    tls.process.kill('SIGHUP');
    await fires('VestibuleCertificateEnds');
  });

  it('the event loop of a process is blocked', async () => {
    await prometheus.fires(['VestibuleEventLoopLate'], async () => {
      sqlite.process.kill('SIGSTOP');
      await pause(800);
      sqlite.process.kill('SIGCONT');
      await pause(400);
    });
  });

  it('a caller guesses client secrets', async () => {
    const guess = () => postToken(sqlite.url, credentialsBody({ id: 'x', secret: 'y' }));
    await prometheus.fires(['VestibuleSecretsGuessed'], () => concurrently(10, 10, guess));
  });

  it('there are too many connections', async () => {
    const { hostname, port } = new URL(sqlite.url);
    const open = () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.write(
        head('POST', '/token', 'content-type: application/json', 'content-length: 9').slice(0, -4),
      );
      return socket;
    };
    const sockets: Socket[] = Array.from({ length: 60 }, open);
    await fires('VestibuleConnectionsRefused');
    for (const socket of sockets) socket.destroy();
  });

  it('another program keeps the database locked', async () => {
    const writer = await caller(sqlite);
    await writer.make('notes', { text: 'before' });
    const file = fileOf(sqlite.settings);
    using other = new DatabaseSync(file);
    other.exec('begin exclusive');
    const write = () => writer.send('POST', '/notes', { text: 'waits' });
    await prometheus.fires(
      ['VestibuleDatabaseUnavailable', 'VestibuleOverloaded', 'VestibuleWritesWait', 'VestibuleSlow'],
      () => Promise.all(Array.from({ length: 30 }, write)),
    );
  });

  it('an answer is 500', async () => {
    const reader = await caller(sqlite);
    await plainSql(sqlite.settings).query('alter table records rename to elsewhere');
    assert.equal((await reader.get('/notes')).status, 500);
    await fires('VestibuleBug');
  });

  it('PostgreSQL is away, and callers obey /readyz', async () => {
    const service = await start('postgres');
    prometheus.watch(service.opsUrl);
    await withoutDatabase(service.settings, () => fires('VestibuleNotReady'));
    assert.doesNotMatch(await service.metrics(), /^vestibule_refusals_total.* [1-9]/m);
  });

  it('all sessions of the PostgreSQL pool are in use', async () => {
    const reader = await caller(postgres);
    await reader.make('notes', { text: 'before' });
    const other = new Client({ connectionString: String(postgres.settings.DATABASE_URL) });
    await other.connect();
    await other.query('begin; lock table records in access exclusive mode');
    const readers = Promise.all(Array.from({ length: 40 }, () => reader.get('/notes')));
    await fires('VestibuleSessionsShort');
    await other.end();
    await readers;
  });

  it('an issuer has almost as many revocations as the limit', async () => {
    const database = plainSql(postgres.settings);
    await database.query(
      `insert into revocations (name, issued_until, forget_at, seq, issuer)
       select 'note ' || n, 0, ${Date.now() + hourMs}, n, 'the provider' from generate_series(1, 160000) as n`,
    );
    await database.query('update changes set revocations = revocations + 1');
    await fires('VestibuleRevocationsCrowded');
  });

  it('a large database file may still hold copies of erased data', async () => {
    const leaver = await caller(clocked, 'leaver');
    await leaver.make('notes', { text: 'gone soon' });
    const storage = await plainSql(clocked.settings).open();
    const fields = { text: 'of somebody else '.repeat(60) };
    await insertAll(
      storage,
      Array.from({ length: 6_000 }, () => newRecord({ fields })),
    );
    await storage.close();
    assert.equal((await leaver.send('DELETE', '/me')).status, 200);
    await clocked.advance(hourMs + 60_000);
    await fires('VestibuleScrubDue');
  });

  it('a webhook receiver fails, then has dead letters, then is disabled', async () => {
    const { settings } = clocked;
    const nobody = `http://127.0.0.1:${await freePort()}/hook`;
    const added = ['add', nobody, '--events', 'notes.*'];
    const { webhook_id: id } = await webhookCommand<{ webhook_id: string }>(settings, ...added);
    provider.aheadMs = hourMs + 60_000;
    await (await caller(clocked)).make('notes', { text: 'for nobody' });
    const tried = async () => (await clocked.metrics()).match(/^vestibule_webhook_deliveries_total\{.*/gm);
    const hasTried = (before: unknown) =>
      until(tried, (now) => String(now) !== String(before), 'nothing is sent', 3_000).catch(() => null);
    await hasTried(null);
    await clocked.advance(20 * 60_000);
    await fires('VestibuleWebhookLate');
    for (let tries = 0; tries < 8; tries += 1) {
      const before = await tried();
      await clocked.advance(11 * hourMs);
      await hasTried(before);
    }
    await fires('VestibuleWebhookFailing', 'VestibuleWebhookDeadLetters');
    await webhookCommand(settings, 'disable', id);
    await clocked.advance(20_000);
    await fires('VestibuleWebhookDisabled');
  });

  it('the provider publishes a weak key', async () => {
    const weak = { kty: 'oct', k: 'c2VjcmV0', kid: 'weak', alg: 'HS256' };
    provider.answer = (_request, response) =>
      response.end(JSON.stringify({ keys: [...provider.document.keys, weak] }));
    await clocked.advance(hourMs);
    await fires('VestibuleAlarmingKeys');
  });

  it('provider keys cannot be fetched, then are old, then expire', async () => {
    provider.answer = (_request, response) => response.writeHead(500).end();
    const failed = /^vestibule_jwks_fetches_total\{provider="provider",result="status"\} (\d+)/m;
    const failures = async () => Number(failed.exec(await clocked.metrics())?.[1] ?? 0);
    for (let count = 0; count < 10; count += 1) {
      const before = await failures();
      await clocked.advance(hourMs);
      await until(failures, (now) => now > before, 'it is not asked');
      await pause(300);
    }
    await fires('VestibuleProviderKeysNotFetched');
    await clocked.advance(3 * hourMs);
    await fires('VestibuleProviderKeysOld');
    await clocked.advance(12 * hourMs);
    await fires('VestibuleNothingVerified');
  });

  it('a process is down, and when it restarts repeatedly', async () => {
    const { settings } = tls;
    for (let starts = 0; starts < 4; starts += 1) {
      const ended = once(tls.process, 'exit');
      tls.process.kill('SIGKILL');
      await ended;
      if (starts === 0) await fires('VestibuleDown');
      tls = await startService(settings);
      await pause(1_500);
    }
    await fires('VestibuleRestarts');
  });

  it('child processes end repeatedly', async () => {
    const supervised = await start('sqlite', { TEST_SERVE_OPTIONS: '--processes 2' });
    prometheus.watch(supervised.opsUrl);
    await prometheus.fires(['VestibuleProcessesEnd'], async () => {
      for (const child of childrenOf(supervised)) process.kill(child, 'SIGKILL');
      await pause(500);
    });
  });

  it('processes of two releases run, and when log lines are lost', async () => {
    provider.answer = null;
    const other = await startOtherRelease(await settingsFor('sqlite'), (child) =>
      later.defer(() => void child.kill('SIGKILL')),
    );
    prometheus.watch(other.opsUrl);
    await fires('VestibuleReleasesDiffer');
    await prometheus.fires(['VestibuleLogLost'], () => askOften(other.url, 15_000));
  });

  it('(control) every alert has fired', async () => {
    const all = readAlerts().map(({ alert }) => alert);
    assert.deepEqual([...(await prometheus.fired())].sort(), all.sort());
  });
});

/** Sends enough requests to exceed the buffer for log lines. */
async function askOften(url: string, count: number): Promise<void> {
  const request = 'GET /x HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  const done = Promise.withResolvers<void>();
  let left = count;
  const all = await openMany(8, () =>
    RawConnection.open(url, '127.0.0.1', (_answer, connection) => {
      left -= 1;
      if (left === 0) done.resolve();
      else connection.send(request);
    }),
  );
  for (const connection of all) connection.send(request);
  await done.promise;
  for (const { socket } of all) socket.destroy();
}

/** A service of the same version at another commit, and a log without a reader. */
async function startOtherRelease(settings: Settings, onStarted: (child: ChildProcess) => void) {
  const folder = newDirectory();
  for (const part of ['bin', 'src']) cpSync(part, `${folder}/${part}`, { recursive: true });
  symlinkSync(resolve('node_modules'), `${folder}/node_modules`);
  cpSync('package.json', `${folder}/package.json`);
  mkdirSync(`${folder}/.git`);
  writeFileSync(`${folder}/.git/HEAD`, 'ref: refs/heads/main\n');
  writeFileSync(`${folder}/.git/packed-refs`, `${'b'.repeat(40)} refs/heads/main\n`);
  const [port, opsPort] = [await freePort(), await freePort()];
  const child: ChildProcess = spawn(process.execPath, [`${folder}/bin/vestibule.js`, 'serve'], {
    env: { PATH: process.env.PATH, ...settings, PORT: String(port), OPS_PORT: String(opsPort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onStarted(child);
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const readiness = async () => (await fetch(`${opsUrl}/readyz`).catch(() => null))?.status;
  await until(readiness, 200, 'it does not become ready', 60_000);
  return { url: `http://127.0.0.1:${port}`, opsUrl };
}
