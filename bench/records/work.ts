import { join } from 'node:path';
import { type MeSample, sampleMe } from '../me-under-load/sample.ts';
import { type Load, type Request, send, writeRequests } from '../shared/load.ts';
import { cpuBetween, cpuOfEach } from '../shared/postgres.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { callers } from '../shared/tokens.ts';
import { idOf, listing, pageStart } from './data.ts';
import type { Place, RecordsStage } from './peer.ts';
import { checkRecords, startFurnished } from './start.ts';

/** One record by its id, a page of fifty by a declared field, and a new record. */
export const works = ['one', 'page', 'create'] as const;
export type Work = (typeof works)[number];

export interface RecordSample extends Sample {
  /** CPU time of PostgreSQL on the other core; 0 for a peer without a database process. */
  readonly databaseCpuMicroseconds: number;
}

/** Writes that were answered, and how many of them are not there after the process has ended. */
export interface Written {
  readonly answered: number;
  readonly lost: number;
}

export type RecordsRound = { readonly me: MeSample | null; readonly written: Written } & Readonly<
  Record<Work, RecordSample>
>;

/** Long enough that every caller has had a turn: what is measured is the work, and not how a cache is filled. */
const warmUpSeconds = { one: 2, page: 5, create: 2 } as const satisfies Record<Work, number>;
/** At a hundred a second a p99 needs a while. */
const meTimes = 7;
/** It takes that long until V8 has compiled nearly all of what a write runs; how a process starts is not asked. */
const writesBeforeMeSeconds = 30;

/** One fresh process, the three works; reads first, since writes add records. */
export async function measurePlace(
  place: Place,
  stage: RecordsStage,
  withMe: boolean,
): Promise<RecordsRound> {
  const { peer, furnished } = place;
  const { seconds } = stage.options;
  const server = await startFurnished(peer, furnished);
  const loads = writeLoads(place, stage);
  let answered = 0;
  const load = async (work: Work, lasts: number, perSecond: number | null = null) => {
    const pace = perSecond === null ? {} : { perSecond };
    const result = await send(stage.generator, { ...loads[work], seconds: lasts, ...pace });
    if (work === 'create') answered += result.requests;
    return result;
  };
  const measure = async (work: Work): Promise<RecordSample> => {
    await load(work, warmUpSeconds[work]);
    const databasePids = () => (peer.usesPostgres ? stage.postgres.pids() : []);
    const before = cpuOfEach(databasePids());
    const sample = await takeSample(server.pid, () => load(work, seconds));
    const database = cpuBetween(before, cpuOfEach(databasePids()));
    return { ...sample, databaseCpuMicroseconds: (database * 1e6) / sample.requests };
  };
  const measureMe = async (): Promise<MeSample> => {
    await load('create', writesBeforeMeSeconds);
    // Measured again, since half a minute of writes has made the process quicker.
    const { requests, seconds: took } = await load('create', seconds);
    const write = (lasts: number, perSecond: number | null) => load('create', lasts, perSecond);
    return sampleMe(furnished.origin, stage.goodToken, seconds * meTimes, requests / took, write);
  };
  /** A machine that stands still for seconds makes a request wait too long: once more, and then it is the peer's own fault. */
  const measureAgain = (work: Work) =>
    measure(work).catch((error: Error) => {
      stage.say(`${place.name}, ${work}, once more: ${error.message}`);
      return measure(work);
    });
  const measureAll = async () => {
    await checkRecords(place, stage);
    const one = await measureAgain('one');
    const page = await measureAgain('page');
    const create = await measureAgain('create');
    return { one, page, create, me: withMe ? await measureMe() : null };
  };
  const round = await measureAll().finally(() => server.stop());
  const found = await furnished.restore();
  // There may be more than were answered: those under way when the load stopped.
  return { ...round, written: { answered, lost: Math.max(answered - found, 0) } };
}

/** For each caller in turn a record, a page and a new record of its own, spread over all there are. */
function writeLoads({ peer, size, furnished }: Place, stage: RecordsStage) {
  const { dialect } = peer;
  const requestOf: Record<Work, (caller: number) => Request> = {
    one: (caller) => {
      return { method: 'GET', path: dialect.pathOf(idOf(Math.floor((caller / callers) * size))) };
    },
    page: (caller) => ({ method: 'GET', path: dialect.pagePath(pageStart(caller / callers)) }),
    create: (caller) => {
      return { method: 'POST', path: dialect.createPath, body: JSON.stringify(listing(size + caller)) };
    },
  };
  const loads = works.map((work) => {
    const requests = stage.tokens
      .slice(0, callers)
      .map((token, caller) => ({ ...requestOf[work](caller), ...(dialect.takesTokens ? { token } : {}) }));
    const json = work === 'create' ? { 'content-type': 'application/json' } : {};
    const file = writeRequests(join(furnished.folder, `${work}.txt`), requests);
    return [work, { origin: furnished.origin, requests: file, headers: { ...dialect.headers, ...json } }];
  });
  return Object.fromEntries(loads) as Readonly<Record<Work, Omit<Load, 'seconds'>>>;
}
