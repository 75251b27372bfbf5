import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { beginOutside } from '../support/databases/outsider.ts';
import { Relay } from '../support/faults/relay.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { request } from '../support/http/request.ts';
import { Caller, NoAnswer, newAgent } from '../support/load/caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, plainNotes } from '../support/services/declarations.ts';
import { atOnce } from '../support/services/deployment.ts';
import {
  databaseEngines,
  fileOf,
  newSettings,
  ownProcess,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { payload } from './fault-on-signal.ts';

const declarations = { notes: plainNotes(280) };
const isWhole = (settings: Settings) => {
  using database = new DatabaseSync(fileOf(settings), { readOnly: true });
  assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
};

for (const engine of databaseEngines) {
  describe(`SIGTERM to a process on ${engine}`, () => {
    let provider: TestProvider;
    const running: Service[] = [];
    before(async () => {
      provider = await TestProvider.start();
    });
    after(async () => {
      await Promise.all(running.map((service) => service.stop()));
      await provider.stop();
    });
    const newPlace = (overrides: Settings = {}) =>
      newSettings(engine, {
        ...ownProcess,
        ...provider.settings,
        COLLECTIONS_DIR: declarationsFolder(declarations),
        READS_PER_MINUTE: '100000',
        ...overrides,
      });
    const start = async (settings: Settings) => {
      const service = await startService(settings);
      running.push(service);
      return service;
    };
    /** The ids of all notes of a caller, from a process that was restarted. */
    const foundAfterwards = async (settings: Settings, token: string) => {
      const service = await start(settings);
      const all = await new ApiCaller(service.url, token).all('notes');
      await service.stop();
      return all.map(({ id }) => id).toSorted();
    };

    it('[F159] at full load: becomes unready first, finishes started requests, and loses nothing', async () => {
      const settings = await newPlace({ DRAIN_SECONDS: '1' });
      const service = await start(settings);
      const agent = newAgent();
      const token = await provider.token();
      const caller = new Caller(service.url, token, agent);
      const acknowledged: string[] = [];
      const others = new Map<number, number>();
      const endings = new Set<unknown>();
      /** The number of writes that were accepted after SIGTERM. */
      let isTold = false;
      let takenWhileDraining = 0;
      const writing = atOnce(24, async () => {
        for (;;) {
          try {
            const { status, headers, text } = await caller.send('POST', '/notes', { text: 'x' });
            if (status === 201) {
              acknowledged.push(JSON.parse(text).id);
              if (isTold) takenWhileDraining += 1;
            } else others.set(status, (others.get(status) ?? 0) + 1);
            if (status === 503) endings.add(headers.get('connection'));
          } catch (error) {
            assert.ok(error instanceof NoAnswer, String(error));
            return;
          }
        }
      });
      await pause(400);
      const ended = once(service.process, 'close');
      isTold = true;
      service.process.kill('SIGTERM');
      const readiness = () => request(`${service.opsUrl}/readyz`);
      const ready = await until(readiness, ({ status }) => status === 503, 'it stays ready');
      assert.equal(ready.json<{ status: string }>().status, 'stopping');
      assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
      assert.deepEqual(await ended, [0, null]);
      await writing;
      agent.destroy();
      assert.ok(takenWhileDraining > 0, 'it takes requests while it says that it is not ready');
      const unexpected = [...others.keys()].filter((status) => status !== 503);
      assert.deepEqual(unexpected, []);
      const kept = [...endings].filter((connection) => connection !== 'close');
      assert.deepEqual(kept, []);
      if (engine === 'sqlite') {
        assert.equal(existsSync(`${fileOf(settings)}-wal`), false, 'the log is in the file');
        isWhole(settings);
      }
      assert.deepEqual(
        await foundAfterwards(settings, token),
        acknowledged.toSorted(),
        'whatever was begun was answered, and nothing else is there',
      );
    });

    it('[F160] while the database is blocked: exits at its deadline', async () => {
      const settings = await newPlace({});
      const service = await start(settings);
      const token = await provider.token();
      const caller = new ApiCaller(service.url, token);
      await caller.make('notes', {});
      const outsider = await beginOutside(
        engine === 'sqlite' ? fileOf(settings) : String(settings.DATABASE_URL),
      );
      if (engine === 'postgres') await outsider.run('lock table consumers in exclusive mode');
      const writes = Promise.allSettled(Array.from({ length: 20 }, () => caller.send('POST', '/notes', {})));
      await pause(100);
      const ended = once(service.process, 'close');
      service.process.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      await outsider.commit();
      const answers = await writes;
      const made = answers.filter((each) => each.status === 'fulfilled' && each.value.status === 201).length;
      const found = await foundAfterwards(settings, token);
      // A batch that had begun may complete after its callers have disconnected.
      assert.ok(found.length > made, `${found.length} are there, ${made + 1} were acknowledged`);
    });

    it('[F161] at any moment of its start: leaves a database that the next process can use', async () => {
      const settings = await newPlace();
      for (const delayMs of [0, 200, 350, 500]) {
        const { child, said } = spawnServe(settings);
        const ended = once(child, 'close');
        await pause(delayMs);
        child.kill('SIGTERM');
        const [code, signal] = await ended;
        // As long as nothing is loaded, nothing has begun, and the system ends it.
        assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal} after ${delayMs} ms: ${said()}`);
        assert.equal(said(), '');
      }
      const service = await start(settings);
      await new ApiCaller(service.url, await provider.token()).make('notes', {});
      await service.stop();
      if (engine === 'sqlite') isWhole(settings);
    });

    const fault = engine === 'sqlite' ? 'exception' : 'rejection';
    it(`[F168] an uncaught error (${fault}) is logged once without its message, and the next process works`, async () => {
      const settings = await newPlace();
      const NODE_OPTIONS = '--import ./test/fault/fault-on-signal.ts';
      const service = await startService({ ...settings, NODE_OPTIONS, TEST_FAULT: fault });
      const token = await provider.token();
      const caller = new Caller(service.url, token, newAgent());
      const acknowledged: string[] = [];
      const writing = atOnce(8, async () => {
        for (;;) {
          const reply = await caller.send('POST', '/notes', {}).catch(() => null);
          if (reply === null) return;
          if (reply.status === 201) acknowledged.push(JSON.parse(reply.text).id);
        }
      });
      await pause(300);
      const ended = once(service.process, 'close');
      service.process.kill('SIGUSR2');
      assert.deepEqual(await ended, [1, null]);
      await writing;
      const lines = service.logLines();
      assert.equal(lines.filter(({ level }) => Number(level) >= 50).length, 1);
      assert.equal(lines.at(-1)?.msg, 'unexpected error, exiting');
      assert.equal(JSON.stringify(lines).includes(payload), false);
      const found = new Set(await foundAfterwards(settings, token));
      const lost = acknowledged.filter((id) => !found.has(id));
      assert.deepEqual(lost, []);
      if (engine === 'sqlite') isWhole(settings);
    });
  });
}

describe('SIGTERM to a process that waits for its database while it starts', () => {
  let provider: TestProvider;
  let settings: Settings;
  before(async () => {
    provider = await TestProvider.start();
    settings = await newSettings('postgres', { ...provider.settings });
    await (await startService(settings)).stop();
  });
  after(() => provider.stop());
  /** In the middle of its start. */
  const startBehindOutsider = async () => {
    const outsider = await beginOutside(String(settings.DATABASE_URL));
    await outsider.run('lock table schema_migrations in access exclusive mode');
    const spawned = spawnServe(settings);
    const ended = once(spawned.child, 'close');
    await outsider.untilSomebodyWaits();
    return { ...spawned, ended, outsider };
  };

  it('[F161] stops as soon as the database lets it', async () => {
    const { child, ended, outsider, said } = await startBehindOutsider();
    child.kill('SIGTERM');
    child.kill('SIGTERM');
    await outsider.commit();
    assert.deepEqual(await ended, [0, null], said());
  });

  it('[F161] exits with 1 when the database blocks for too long', async () => {
    const { child, ended, outsider, said } = await startBehindOutsider();
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [1, null]);
    assert.match(said(), /^vestibule: [^\n]+\n$/);
    await outsider.commit();
  });

  it('[F161] stops at once while the database does not answer', async () => {
    const relay = await Relay.start(new URL('tcp://127.0.0.1:9'));
    const url = new URL(String(settings.DATABASE_URL));
    url.port = String(relay.port);
    const { child, said } = spawnServe({ ...settings, DATABASE_URL: url.href });
    const ended = once(child, 'close');
    const connections = () => relay.accepted;
    await until(connections, (count) => count > 0, 'it does not connect');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], said());
    await relay.stop();
  });

  it('[F161] is not stopped by SIGHUP', async () => {
    const { child, ended, outsider, said } = await startBehindOutsider();
    let log = '';
    child.stdout.on('data', (chunk) => {
      log += chunk;
    });
    child.kill('SIGHUP');
    await outsider.commit();
    const output = () => log;
    await until(output, (text) => text.includes('"msg":"listening"'), `it does not listen: ${said()}`);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
});

/** Like `startService`, without waiting for anything. */
function spawnServe(settings: Settings) {
  const child = spawn(process.execPath, ['bin/vestibule.js', 'serve'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return { child, said: () => stderr };
}
