import { meInShort } from '../me-under-load/sample.ts';
import { spareRequests } from '../shared/load.ts';
import { counted } from '../shared/markdown.ts';
import { startPostgresServer } from '../shared/postgres.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { choosePeers, type Stage } from '../shared/stage.ts';
import { callers, signTokens } from '../shared/tokens.ts';
import { checkDurability, type Durability } from './durability.ts';
import { lineUp } from './line-up.ts';
import type { Place, RecordsPeer, RecordsStage } from './peer.ts';
import { writeRecordsReport } from './report.ts';
import { measureRoles } from './roles.ts';
import { measurePlace, type RecordsRound, works } from './work.ts';

/** Records of a declared collection: every database is filled once, and then everybody has a turn in every round. */
export async function measureRecords(shared: Stage): Promise<string> {
  const { options, provider, folder } = shared;
  const peers = choosePeers(lineUp, options);
  const tokens = await signTokens(provider, callers + spareRequests);
  const postgres = await startPostgresServer(folder);
  const stage: RecordsStage = { ...shared, tokens, postgres };
  try {
    const places = await furnishAll(peers, stage);
    const durability = await checkAll(places, stage);
    const { sizes } = options;
    // In the middle of the sizes, where the records are many and the caches still hold them.
    const withMe = ({ peer, size }: Place) => peer.servesMe && size === sizes[Math.floor(sizes.length / 2)];
    const measure = (place: Place) => measurePlace(place, stage, withMe(place));
    const rounds = await measureInRounds(places, stage, measure, inShort);
    const kinds = (['sqlite', 'postgres'] as const).filter((kind) =>
      peers.some(({ name }) => name === `vestibule-${kind}`),
    );
    return writeRecordsReport(rounds, durability, await measureRoles(kinds, stage), stage);
  } finally {
    await postgres.stop();
  }
}

async function furnishAll(peers: readonly RecordsPeer[], stage: RecordsStage): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const peer of peers) {
    for (const size of stage.options.sizes.filter((size) => size <= peer.largest)) {
      const startedAt = performance.now();
      const name = `${peer.name} ${counted(size)}`;
      const furnished = await peer.furnish(size, stage).catch((cause) => {
        throw new Error(`${name}: ${cause.message}`, { cause });
      });
      places.push({ name, peer, size, furnished });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      stage.say(`${peer.name} has ${counted(size)} records after ${seconds} s.`);
    }
  }
  return places;
}

/** Of each peer once, where it has the fewest records. */
async function checkAll(places: readonly Place[], stage: RecordsStage) {
  const found = new Map<RecordsPeer, Durability>();
  for (const { peer, furnished } of places) {
    if (found.has(peer)) continue;
    const durability = await checkDurability(peer, furnished, stage);
    found.set(peer, durability);
    stage.say(`${peer.name}: ${JSON.stringify(durability)}`);
  }
  return found;
}

function inShort(round: RecordsRound): string {
  const each = works.map((work) => {
    const { requestsPerSecond, cpuMicroseconds, databaseCpuMicroseconds } = round[work];
    const cpu = `${cpuMicroseconds.toFixed(0)}+${databaseCpuMicroseconds.toFixed(0)} us`;
    return `${work} ${requestsPerSecond.toFixed(0)}/s ${cpu}`;
  });
  return [...each, ...(round.me === null ? [] : [meInShort(round.me)])].join('  ');
}
