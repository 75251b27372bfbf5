import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Engine } from './engine.ts';

/** What test/image/inside.js prints. */
interface Seen {
  readonly status: Readonly<Record<string, string>>;
  /** The installed dependencies by their folder. */
  readonly versions: Readonly<Record<string, string>>;
  readonly programs: readonly string[];
  readonly writes: readonly string[];
  readonly volume: string;
}

type Properties = Readonly<Record<string, string>>;

/** What a running container is and may do, each as the container itself sees it. */
export async function propertiesOf(engine: Engine, container: string): Promise<Properties> {
  const { status, versions, programs, writes, volume } = await lookInside(engine, container);
  assert.match(status.Uid ?? '', /^1000\s+1000\s+1000\s+1000$/, 'the service runs as 1000, never as root');
  assert.match(status.Gid ?? '', /^1000\s+1000\s+1000\s+1000$/);
  const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
  for (const set of sets) assert.match(status[set] ?? '', /^0+$/, `${set}: no capability is left`);
  assert.equal(status.NoNewPrivs, '1');
  assert.deepEqual([...new Set(writes)], ['EROFS'], 'the root file system is read-only, also for root');
  assert.deepEqual(programs, ['/usr/local/bin/node'], 'there is no shell, no npm and no other program');
  assert.equal(volume, '1000:1000 700');
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const installed = Object.entries(versions);
  for (const [path, version] of installed)
    assert.equal(version, locked[path]?.version, `${path} has the version of the lock file`);
  return {
    user: '1000, group 1000 (process 1)',
    capabilities: `none (${sets.join(', ')} are 0), no new privileges`,
    'root file system': `read-only (${writes[0]}, also for root)`,
    programs: programs.join(' '),
    volume: `${volume}, of 1000`,
    dependencies: `${installed.length}, in the versions of package-lock.json`,
    'health check': await healthOf(engine, container),
  };
}

async function lookInside(engine: Engine, container: string): Promise<Seen> {
  const parameters = ['exec', '--interactive', '--user=0', container, 'node', '--input-type=module', '-'];
  const child = spawn(engine.name, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  createReadStream('test/image/inside.js').pipe(child.stdin);
  return JSON.parse(await text(child.stdout));
}

/** Runs the health check of the image, and the same where no service listens. */
async function healthOf(engine: Engine, container: string): Promise<string> {
  const { Healthcheck } = (await engine.inspect('container', container)).Config;
  const [kind, ...command] = Healthcheck.Test;
  assert.equal(kind, 'CMD', 'a check that needs no shell');
  const statusOf = (...flags: readonly string[]) =>
    engine.ask('exec', ...flags, container, ...command).then(
      () => 0,
      ({ code }) => code,
    );
  assert.equal(await statusOf(), 0, 'the service is healthy');
  // Port 9 is never the service.
  assert.equal(await statusOf('--env=OPS_PORT=9'), 1, 'nothing that does not listen is healthy');
  return 'passes, and fails where no service listens';
}
