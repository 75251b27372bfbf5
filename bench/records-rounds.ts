import { join } from 'node:path';
import { checkDurability, type Durability } from './durability.ts';
import { type LoadGenerator, spareTokens } from './load.ts';
import type { Options } from './options.ts';
import { startPostgresServer } from './postgres.ts';
import {
  chooseRecordsPeers,
  type Furnished,
  type RecordsPeer,
  type RecordsStage,
} from './records-line-up.ts';
import { measureRecords, type RecordsRound, recordWorks } from './records-work.ts';
import type { TokenStage } from './token-stage.ts';
import { callers, signTokens } from './tokens.ts';

/** A peer with so many records. */
export interface Place {
  readonly peer: RecordsPeer;
  readonly size: number;
  readonly rounds: RecordsRound[];
}

export interface RecordsMeasured {
  readonly places: readonly Place[];
  readonly durability: ReadonlyMap<RecordsPeer, Durability>;
}

type Say = (line: string) => void;

/** All records work: every database is filled once, and then everybody has a turn in every round. */
export async function measureAllRecords(
  told: TokenStage,
  generator: LoadGenerator,
  options: Options,
  say: Say,
): Promise<RecordsMeasured> {
  const peers = chooseRecordsPeers(options.only);
  const tokens = await signTokens(
    told.provider,
    callers + spareTokens,
    join(told.folder, 'records-tokens.txt'),
  );
  const postgres = await startPostgresServer(told.folder);
  const stage: RecordsStage = { ...told, generator, tokens, postgres };
  try {
    const places = peers.flatMap((peer) =>
      options.sizes.filter((size) => size <= peer.largest).map((size) => ({ peer, size, rounds: [] })),
    );
    const furnished = await furnishAll(places, stage, say);
    const durability = new Map<RecordsPeer, Durability>();
    for (const [place, own] of furnished) {
      if (durability.has(place.peer)) continue;
      const found = await checkDurability(place.peer, own, stage);
      durability.set(place.peer, found);
      say(`${place.peer.name}: ${JSON.stringify(found)}`);
    }
    for (let number = 1; number <= options.repeat; number++) {
      for (const [place, own] of furnished) await measurePlace(place, own, stage, options, number, say);
    }
    return { places, durability };
  } finally {
    await postgres.stop();
  }
}

async function furnishAll(places: readonly Place[], stage: RecordsStage, say: Say) {
  const furnished = new Map<Place, Furnished>();
  for (const place of places) {
    const { peer, size } = place;
    const startedAt = performance.now();
    furnished.set(place, await peer.furnish(size, stage).catch((cause) => fail(peer, cause)));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    say(`${peer.name} has ${size.toLocaleString('en')} records after ${seconds} s.`);
  }
  return furnished;
}

async function measurePlace(
  { peer, size, rounds }: Place,
  furnished: Furnished,
  stage: RecordsStage,
  { seconds, sizes }: Options,
  number: number,
  say: Say,
): Promise<void> {
  // In the middle of the sizes, where the records are many and the caches still hold them.
  const withMe = peer.servesMe && size === sizes[Math.floor(sizes.length / 2)];
  const plan = { seconds, withMe };
  const round = await measureRecords(peer, size, furnished, stage, plan).catch((cause) => fail(peer, cause));
  rounds.push(round);
  const name = `${peer.name} ${size.toLocaleString('en')}`.padEnd(30);
  say(`round ${number}  ${name}${inShort(round)}`);
}

function inShort(round: RecordsRound): string {
  const works = recordWorks.map((work) => {
    const { requestsPerSecond, cpuMicroseconds, databaseCpuMicroseconds } = round[work];
    const cpu = `${cpuMicroseconds.toFixed(0)}+${databaseCpuMicroseconds.toFixed(0)} us`;
    return `${work} ${requestsPerSecond.toFixed(0)}/s ${cpu}`;
  });
  const { me } = round;
  if (me === null) return works.join('  ');
  const lost = me.alone.lost + me.loaded.lost;
  const p99 = `${me.alone.p99Ms.toFixed(2)} -> ${me.loaded.p99Ms.toFixed(2)} ms`;
  return `${works.join('  ')}  /me p99 ${p99}, lost ${lost}`;
}

function fail(peer: RecordsPeer, cause: Error): never {
  throw new Error(`${peer.name}: ${cause.message}`, { cause });
}
