import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../../test/support/databases/postgres.ts';
import { cpuSeconds } from './counters.ts';
import { freePort, loadCore } from './processes.ts';

/**
 * A PostgreSQL with the settings it comes with, so what it has answered is on the disk, and more memory than that: the
 * 128 MB of its own choice would hold a quarter of the largest table, and its manual advises a quarter of the machine.
 */
export interface Postgres {
  /** A new, empty database; its URL. */
  createDatabase(): Promise<string>;
  /** All of its processes. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

/** On the core of the load, so that the server that is measured has its own to itself. */
export async function startPostgresServer(folder: string, flags: readonly string[] = []): Promise<Postgres> {
  // It may run as a user of its own, who has to get to its folder.
  chmodSync(folder, 0o711);
  const directory = join(folder, 'postgres');
  const server = await startPostgres(directory, await freePort(), ['-c', 'shared_buffers=2GB', ...flags]);
  const main = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const pids = () => [main, ...childrenOf(main)];
  // Later processes are children of the first one and stay in its group.
  for (const pid of pids()) execFileSync('taskset', ['-a', '-c', '-p', String(loadCore), String(pid)]);
  const endAtOnce = () => process.kill(main, 'SIGQUIT');
  process.once('exit', endAtOnce);
  return {
    createDatabase: () => createDatabase(server.url),
    pids,
    async stop() {
      process.off('exit', endAtOnce);
      await server.stop();
    },
  };
}

/** The time that each of these processes has had so far; one that has just ended has none. */
export function cpuOfEach(pids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(
    pids.flatMap((pid) => {
      try {
        return [[pid, cpuSeconds(pid)] as const];
      } catch {
        return [];
      }
    }),
  );
}

export function cpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}
