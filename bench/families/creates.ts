import { join } from 'node:path';
import { type Database, databases } from '../shared/database.ts';
import { type LoadResult, send, writeRequests } from '../shared/load.ts';
import { percent, shown, table } from '../shared/markdown.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { type Middle, median, middle } from '../shared/statistics.ts';
import { alone, counted, note, under } from './data.ts';
import { databaseCpuDuring, type FamiliesStage, newService, post } from './service.ts';

const declarations = { alone, under, counted } as const;
const kinds = ['alone', 'under', 'counted'] as const;
type Kind = (typeof kinds)[number];
const titles: Readonly<Record<Kind, string>> = {
  alone: 'a private record',
  under: 'the same under a parent',
  counted: 'the same with `capacity` and `counts`',
};
/** By CPU, against the private one. */
const limits: Readonly<Record<Kind, string>> = { alone: '', under: '1.35', counted: '1.60' };

/** Each writes under a parent of its own. */
const writers = 40;
const warmUpSeconds = 5;
const sliceSeconds = 2;

/** One sample for each kind, taken within seconds, so that a slow moment falls on all three. */
type Slice = Readonly<Record<Kind, Sample & { readonly databaseCpuMicroseconds: number }>>;

interface Entry {
  readonly name: string;
  readonly database: Database;
  readonly loads: ReadonlyMap<Kind, { pid: number; load: (seconds: number) => Promise<LoadResult> }>;
}

export interface CreateSummary {
  readonly database: Database;
  readonly kind: Kind;
  readonly perSecond: Middle;
  readonly cpuMicroseconds: Middle;
  readonly databaseCpuMicroseconds: Middle;
  /** CPU, the database's too, against `alone` of the same slice. */
  readonly byCpu: Middle;
  readonly byTime: Middle;
}

/** Measures what a parent costs a write. */
export async function measureCreates(stage: FamiliesStage): Promise<readonly CreateSummary[]> {
  await using running = new AsyncDisposableStack();
  const entries: Entry[] = [];
  for (const database of databases)
    entries.push({
      name: `POST on ${database}`,
      database,
      loads: await startAll(database, running, stage),
    });
  const rounds = await measureInRounds(entries, stage, (entry) => measureRound(entry, stage), inShort);
  return [...rounds].flatMap(([{ database }, own]) =>
    kinds.map((kind): CreateSummary => {
      const of = (figure: (slice: Slice) => number) => middle(own.flat().map(figure));
      const cost = (one: Slice[Kind]) => one.cpuMicroseconds + one.databaseCpuMicroseconds;
      return {
        database,
        kind,
        perSecond: of((slice) => slice[kind].requestsPerSecond),
        cpuMicroseconds: of((slice) => slice[kind].cpuMicroseconds),
        databaseCpuMicroseconds: of((slice) => slice[kind].databaseCpuMicroseconds),
        byCpu: of((slice) => cost(slice[kind]) / cost(slice.alone)),
        byTime: of((slice) => slice.alone.requestsPerSecond / slice[kind].requestsPerSecond),
      };
    }),
  );
}

/** All three services run at once, and each is asked in turn while the others have nothing to do. */
async function startAll(database: Database, running: AsyncDisposableStack, stage: FamiliesStage) {
  const loads = new Map<Kind, { pid: number; load: (seconds: number) => Promise<LoadResult> }>();
  const tokens = stage.tokens.slice(0, writers);
  for (const kind of kinds) {
    const service = await newService(`create-${kind}`, database, declarations[kind], stage);
    const { origin, folder } = service;
    const server = await service.start();
    running.defer(() => server.stop());
    const requests = [];
    for (const token of tokens) {
      const circle =
        kind === 'alone' ? crypto.randomUUID() : await post(origin, token, 'circles', '{"title":"a circle"}');
      requests.push({ method: 'POST' as const, path: '/api/consumer/v1/notes', token, body: note(circle) });
    }
    const file = writeRequests(join(folder, 'creates.txt'), requests);
    const headers = { 'content-type': 'application/json' };
    const load = (seconds: number) => send(stage.generator, { origin, requests: file, headers, seconds });
    await load(stage.options.quick ? 1 : warmUpSeconds);
    loads.set(kind, { pid: server.pid, load });
  }
  return loads;
}

async function measureRound({ database, loads }: Entry, stage: FamiliesStage): Promise<readonly Slice[]> {
  const slices: Slice[] = [];
  for (let count = 0; count < stage.options.seconds; count += 1) {
    const samples: [Kind, Slice[Kind]][] = [];
    for (const [kind, { pid, load }] of loads) {
      const [sample, spent] = await databaseCpuDuring(database, stage, () =>
        takeSample(pid, () => load(sliceSeconds)),
      );
      samples.push([kind, { ...sample, databaseCpuMicroseconds: (spent * 1e6) / sample.requests }]);
    }
    slices.push(Object.fromEntries(samples) as Slice);
  }
  return slices;
}

function inShort(slices: readonly Slice[]): string {
  const of = (kind: Kind, figure: (one: Slice[Kind]) => number) =>
    median(slices.map((slice) => figure(slice[kind]))).toFixed(0);
  return kinds
    .map(
      (kind) =>
        `${kind} ${of(kind, (one) => one.requestsPerSecond)}/s ${of(kind, (one) => one.cpuMicroseconds)}+${of(kind, (one) => one.databaseCpuMicroseconds)} us`,
    )
    .join('  ');
}

export function createsTable(summaries: readonly CreateSummary[]): string {
  return table(
    `**POST a record, ${writers} callers** (ratios to the private record of the same seconds)`,
    ['requests/s', 'CPU µs', 'of the database', 'by time', 'by CPU', 'its spread', 'at most'],
    summaries.map(
      ({ database, kind, perSecond, cpuMicroseconds, databaseCpuMicroseconds, byTime, byCpu }) => [
        `${database}, ${titles[kind]}`,
        shown(perSecond.value),
        shown(cpuMicroseconds.value),
        databaseCpuMicroseconds.value === 0 ? 'none' : shown(databaseCpuMicroseconds.value),
        byTime.value.toFixed(2),
        byCpu.value.toFixed(2),
        percent(byCpu.spread),
        limits[kind],
      ],
    ),
  );
}
