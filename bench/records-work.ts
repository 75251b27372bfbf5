import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes } from './counters.ts';
import { type RecordLoad, type RecordRequest, sendRequests, writeRequests } from './load-records.ts';
import { type MeLatency, meLatency } from './me-latency.ts';
import { cpuBetween, cpuOfEach } from './postgres.ts';
import { idOf, listing, pageStart } from './records-data.ts';
import type { Furnished, RecordsPeer, RecordsStage } from './records-line-up.ts';
import { checkRecords, startFurnished } from './records-stage.ts';
import { callers } from './tokens.ts';

/** One record by its id, a page of fifty by a declared field, and a new record. */
export const recordWorks = ['one', 'page', 'create'] as const;
export type RecordWork = (typeof recordWorks)[number];

export interface RecordSample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
  /** What PostgreSQL had of the other core; 0 for whoever has no database process. */
  readonly databaseCpuMicroseconds: number;
  readonly residentMegabytes: number;
}

/** GET /me on a process without and with all the writes it can take. */
export interface RecordsMeSample {
  readonly alone: MeLatency;
  readonly loaded: MeLatency;
  readonly writesPerSecond: number;
}

/** Writes that were answered, and how many of them are not there after the process has ended. */
export interface Written {
  readonly answered: number;
  readonly lost: number;
}

export type RecordsRound = { readonly me: RecordsMeSample | null; readonly written: Written } & Readonly<
  Record<RecordWork, RecordSample>
>;

export interface RecordsPlan {
  readonly seconds: number;
  readonly withMe: boolean;
}

/** Long enough that every caller has had a turn: what is measured is the work, and not how a cache is filled. */
const warmUpSeconds = { one: 2, page: 5, create: 2 } as const satisfies Record<RecordWork, number>;
/** At a hundred a second a p99 needs a while. */
const meTimes = 7;
/** It takes that long until the engine has compiled nearly all of what a write runs; how a process starts is not asked. */
const writesBeforeMeSeconds = 30;

/** One peer, one fresh process, the three works; reads first, since writes add records. */
export async function measureRecords(
  peer: RecordsPeer,
  size: number,
  furnished: Furnished,
  stage: RecordsStage,
  { seconds, withMe }: RecordsPlan,
): Promise<RecordsRound> {
  const server = await startFurnished(peer, furnished);
  const loads = writeLoads(peer, size, furnished, stage);
  let answered = 0;
  const send = async (work: RecordWork, lasts: number) => {
    const result = await sendRequests(stage.generator, { ...loads[work], seconds: lasts });
    if (work === 'create') answered += result.requests;
    return result;
  };
  const measure = async (work: RecordWork): Promise<RecordSample> => {
    await send(work, warmUpSeconds[work]);
    const databasePids = () => (peer.usesPostgres ? stage.postgres.pids() : []);
    const before = { own: cpuSeconds(server.pid), database: cpuOfEach(databasePids()) };
    const { requests, seconds: took, p50Ms, p99Ms } = await send(work, seconds);
    const own = cpuSeconds(server.pid) - before.own;
    const database = cpuBetween(before.database, cpuOfEach(databasePids()));
    return {
      requestsPerSecond: requests / took,
      p50Ms,
      p99Ms,
      cpuMicroseconds: (own * 1e6) / requests,
      databaseCpuMicroseconds: (database * 1e6) / requests,
      residentMegabytes: residentMegabytes(server.pid),
    };
  };
  const measureMe = async (): Promise<RecordsMeSample> => {
    const lasts = seconds * meTimes;
    await send('create', writesBeforeMeSeconds);
    const alone = await meLatency(furnished.origin, stage.goodToken, lasts);
    // The load starts before the probe, and lasts until after it.
    const [{ requests, seconds: took }, loaded] = await Promise.all([
      send('create', lasts + 4),
      sleep(1_000).then(() => meLatency(furnished.origin, stage.goodToken, lasts)),
    ]);
    return { alone, loaded, writesPerSecond: requests / took };
  };
  const measureAll = async () => {
    await checkRecords(peer, size, furnished, stage);
    const one = await measure('one');
    const page = await measure('page');
    const create = await measure('create');
    return { one, page, create, me: withMe ? await measureMe() : null };
  };
  const round = await measureAll().finally(() => server.stop());
  const found = await furnished.restore();
  // There may be more than were answered: those under way when the load stopped.
  return { ...round, written: { answered, lost: Math.max(answered - found, 0) } };
}

/** For each caller in turn a record, a page and a new record of its own, spread over all there are. */
function writeLoads(peer: RecordsPeer, size: number, { folder, origin }: Furnished, stage: RecordsStage) {
  const { dialect } = peer;
  const tokens = readFileSync(stage.tokens.path, 'utf8').split('\n').slice(0, callers);
  const requests: Record<RecordWork, (caller: number) => Omit<RecordRequest, 'token'>> = {
    one: (caller) => {
      const number = Math.floor((caller / callers) * size);
      return { method: 'GET', path: dialect.pathOf(idOf(number)), body: '' };
    },
    page: (caller) => {
      return { method: 'GET', path: dialect.pagePath(pageStart(caller / callers)), body: '' };
    },
    create: (caller) => {
      return { method: 'POST', path: dialect.createPath, body: JSON.stringify(listing(size + caller)) };
    },
  };
  const loads = recordWorks.map((work) => {
    const file = join(folder, `${work}.txt`);
    const lines = tokens.map((token, caller) => ({
      ...requests[work](caller),
      token: dialect.takesTokens ? token : '',
    }));
    writeRequests(file, lines);
    return [work, { origin, file, headers: dialect.headers }] as const;
  });
  return Object.fromEntries(loads) as Readonly<Record<RecordWork, Omit<RecordLoad, 'seconds'>>>;
}
