import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../shared/ask.ts';
import { allCores, findProgram, startServer } from '../shared/processes.ts';
import { listing } from './data.ts';
import type { Furnished, RecordsPeer, RecordsStage } from './peer.ts';
import { headersOf, postOne, startFurnished } from './start.ts';

/** Tests whether an acknowledged record survives. */
export interface Durability {
  /** The number of killed processes that had the record afterwards; each was killed at the moment of its answer. */
  readonly kills: number;
  readonly survived: number;
  /** How often the disk was told to keep what it has, for each write; null when strace cannot look. */
  readonly syncsPerWrite: number | null;
}

const kills = 3;
const tracedWrites = 20;
const attachMs = 1_500;

export async function checkDurability(
  peer: RecordsPeer,
  furnished: Furnished,
  stage: RecordsStage,
): Promise<Durability> {
  const syncsPerWrite = await countSyncs(peer, furnished, stage);
  let survived = 0;
  for (let kill = 0; kill < kills; kill++) survived += (await survivesKill(peer, furnished, stage)) ? 1 : 0;
  await furnished.restore();
  return { kills, survived, syncsPerWrite };
}

/** A killed process takes with it what it had not given to the system yet. */
async function survivesKill(
  peer: RecordsPeer,
  furnished: Furnished,
  { goodToken }: RecordsStage,
): Promise<boolean> {
  const first = await startFurnished(peer, furnished);
  const id = await postOne(peer, furnished.origin, goodToken, listing(0));
  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const second = await startFurnished(peer, furnished).catch(() => null);
  // It may be that what is left of its file cannot be read at all.
  if (second === null) return false;
  const { status } = await ask(`${furnished.origin}${peer.dialect.pathOf(id)}`, headersOf(peer, goodToken));
  await second.stop();
  return status === 200;
}

/** One write after the other, so that none shares a sync with another; those of the database count, too. */
async function countSyncs(
  peer: RecordsPeer,
  furnished: Furnished,
  { goodToken, postgres }: RecordsStage,
): Promise<number | null> {
  const strace = findProgram('strace');
  if (strace === null) return null;
  const server = await startFurnished(peer, furnished);
  try {
    // The first one opens connections and files.
    await postOne(peer, furnished.origin, goodToken, listing(0));
    const pids = [server.pid, ...(peer.usesPostgres ? postgres.pids() : [])];
    const traced = ['-f', '-e', 'trace=fsync,fdatasync,sync_file_range,msync'];
    const output = join(furnished.folder, 'syncs.txt');
    const attach = pids.flatMap((pid) => ['-p', String(pid)]);
    const program = { command: strace, parameters: [...traced, ...attach], environment: {} };
    const tracer = startServer(program, output, allCores);
    await sleep(attachMs);
    if (tracer.lastWords() !== null) return null;
    for (let write = 0; write < tracedWrites; write++) {
      await postOne(peer, furnished.origin, goodToken, listing(write));
    }
    await tracer.stop();
    const calls = readFileSync(output, 'utf8').match(/\b(fsync|fdatasync|msync)\(/g) ?? [];
    return calls.length / tracedWrites;
  } finally {
    await server.stop();
  }
}
