import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { request, withToken } from '../support/http/request.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { me, newSettings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

/** A service whose standard output the test may read or not. */
interface Unread {
  readonly child: ChildProcess;
  readonly url: string;
  readonly opsUrl: string;
  readonly ended: Promise<unknown[]>;
}

describe('a log whose reader is gone or stalls', () => {
  let provider: TestProvider;
  before(async () => {
    provider = await TestProvider.start();
  });
  const children: ChildProcess[] = [];
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await provider.stop();
  });

  const start = async (
    prepare: (child: ChildProcess) => void = () => {},
    output: 'pipe' | number = 'pipe',
    tries = 3,
  ): Promise<Unread> => {
    const [port, opsPort] = [await freePort(), await freePort()];
    const ports = { PORT: String(port), OPS_PORT: String(opsPort) };
    const settings = await newSettings('sqlite', { ...provider.settings, ...ports });
    const child = spawn(process.execPath, ['bin/vestibule.js', 'serve'], {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', output, 'inherit'],
    });
    children.push(child);
    prepare(child);
    const [url, opsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`];
    const ended = once(child, 'exit');
    await until(
      () => fetch(`${opsUrl}/readyz`).catch(() => null),
      (answer) => answer?.status === 200 || child.exitCode !== null,
      'it becomes ready',
      60_000,
    );
    // Its log is not read, so the ports are chosen beforehand, and another program may have taken one.
    if (child.exitCode !== null)
      return tries > 1 ? start(prepare, output, tries - 1) : assert.fail('it ended');
    return { child, url, opsUrl, ended };
  };
  const isServed = async ({ url }: Unread) => {
    const answer = await withToken(`${url}${me}`, await provider.token());
    assert.equal(answer.status, 200);
  };
  /** 1,800 requests, whose lines are more than a pipe takes; how many were answered. */
  const askMany = async ({ url }: Unread): Promise<number> => {
    const answers = await concurrently(1_800, 8, async () => (await fetch(`${url}/x`)).text());
    return answers.length;
  };
  const requestLines = (log: string) => log.split('\n').filter((line) => line.includes('"msg":"request"'));

  it('without a reader loses lines; callers are served and the process exits cleanly', async () => {
    const service = await start((child) => child.stdout?.destroy());
    try {
      await isServed(service);
      await pause(100);
      await isServed(service);
    } finally {
      service.child.kill('SIGTERM');
    }
    assert.deepEqual(await service.ended, [0, null]);
  });

  it('[F154] on a full disk loses lines; callers are served and the process exits cleanly', async () => {
    const full = openSync('/dev/full', 'w');
    const service = await start(() => {}, full);
    closeSync(full);
    try {
      await isServed(service);
      await askMany(service);
      await isServed(service);
    } finally {
      service.child.kill('SIGTERM');
    }
    assert.deepEqual(await service.ended, [0, null]);
  });

  it('with a stalled reader uses bounded memory, and reports the dropped lines', async () => {
    const service = await start();
    const residentMb = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;
    const dropped = async () =>
      Number(
        /^vestibule_log_lines_dropped_total (\d+)$/m.exec(
          await (await fetch(`${service.opsUrl}/metrics`)).text(),
        )?.[1],
      );
    let asked = 0;
    try {
      asked += await askMany(service);
      const before = residentMb();
      for (let count = 0; count < 20 && (await dropped()) === 0; count += 1) asked += await askMany(service);
      asked += await askMany(service);
      await isServed(service);
      assert.ok(residentMb() - before < 60, `${residentMb() - before} MB more`);
      const missing = await dropped();
      assert.ok(missing > 500, `${missing} lines dropped`);
      // A reader is back.
      let log = '';
      service.child.stdout?.on('data', (chunk) => {
        log += chunk;
      });
      const told = () => /"dropped":(\d+)/.exec(log)?.[1];
      await until(told, (count) => count !== undefined, 'it does not say how many lines are missing');
      assert.equal(Number(told()), missing);
      assert.equal(requestLines(log).length, asked + 1 - missing);
    } finally {
      service.child.kill('SIGTERM');
    }
    assert.deepEqual(await service.ended, [0, null]);
  });

  it('with a stalled reader does not delay the exit', async () => {
    const service = await start();
    await askMany(service);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.ended, [0, null]);
  });

  it('has every line after SIGTERM', async () => {
    const service = await start();
    const log = text(service.child.stdout as NonNullable<ChildProcess['stdout']>);
    await concurrently(300, 10, () => request(`${service.url}/x`));
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.ended, [0, null]);
    assert.equal(requestLines(await log).length, 300);
    assert.match(await log, /"msg":"stopped"\}\n$/);
  });

  it('misses at most the last tenth of a second after kill -9', async () => {
    const service = await start();
    const log = text(service.child.stdout as NonNullable<ChildProcess['stdout']>);
    await concurrently(100, 10, () => request(`${service.url}/x`));
    await pause(100);
    service.child.kill('SIGKILL');
    assert.deepEqual(await service.ended, [null, 'SIGKILL']);
    assert.equal(requestLines(await log).length, 100);
  });
});
