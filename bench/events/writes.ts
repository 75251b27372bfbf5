import { join } from 'node:path';
import { type Database, databases } from '../shared/database.ts';
import { type LoadResult, send, writeRequests } from '../shared/load.ts';
import { percent, shown, table } from '../shared/markdown.ts';
import { cpuBetween, cpuOfEach } from '../shared/postgres.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { type Middle, median, middle } from '../shared/statistics.ts';
import { callers } from '../shared/tokens.ts';
import { note, notesPath } from './data.ts';
import { type EventsStage, newService } from './service.ts';

const kinds = ['none', 'thin', 'full'] as const;
type Kind = (typeof kinds)[number];

interface Entry {
  readonly name: string;
  readonly database: Database;
}

/** One sample for each kind, taken one after the other within seconds, so that a slow moment falls on all three. */
type Slice = Readonly<Record<Kind, Sample & { readonly databaseCpuMicroseconds: number }>>;

const warmUpSeconds = 4;
/** Machines that are shared change their speed from one second to the next. */
const sliceSeconds = 2;

export interface WritesSummary {
  readonly database: Database;
  readonly kind: Kind;
  readonly perSecond: Middle;
  readonly cpuMicroseconds: Middle;
  readonly databaseCpuMicroseconds: Middle;
  /** Against `none` of the same round: above 1 it does more. */
  readonly byRate: Middle;
  readonly byCpu: Middle;
}

/** Measures what an event costs a write. */
export async function measureWrites(stage: EventsStage): Promise<readonly WritesSummary[]> {
  const entries = databases.map((database): Entry => ({ name: `writes on ${database}`, database }));
  const rounds = await measureInRounds(entries, stage, (entry) => measureRound(entry, stage), inShort);
  return [...rounds].flatMap(([{ database }, own]) =>
    kinds.map((kind): WritesSummary => {
      const of = (figure: (slice: Slice) => number) => middle(own.flat().map(figure));
      const cost = (one: Slice[Kind]) => one.cpuMicroseconds + one.databaseCpuMicroseconds;
      return {
        database,
        kind,
        perSecond: of((slice) => slice[kind].requestsPerSecond),
        cpuMicroseconds: of((slice) => slice[kind].cpuMicroseconds),
        databaseCpuMicroseconds: of((slice) => slice[kind].databaseCpuMicroseconds),
        byRate: of((slice) => slice[kind].requestsPerSecond / slice.none.requestsPerSecond),
        byCpu: of((slice) => cost(slice.none) / cost(slice[kind])),
      };
    }),
  );
}

/** All three services are there at once, and each is asked in turn while the others have nothing to do. */
async function measureRound({ database }: Entry, stage: EventsStage): Promise<readonly Slice[]> {
  await using running = new AsyncDisposableStack();
  const loads = new Map<Kind, { pid: number; load: (seconds: number) => Promise<LoadResult> }>();
  for (const kind of kinds) {
    const service = await newService(`${database}-${kind}`, database, kind, stage);
    const server = await service.start();
    running.defer(() => server.stop());
    const requests = writeRequests(
      join(service.surroundings.folder, 'writes.txt'),
      stage.tokens
        .slice(0, callers)
        .map((token) => ({ method: 'POST', path: notesPath, token, body: JSON.stringify(note) })),
    );
    const headers = { 'content-type': 'application/json' };
    const load = (seconds: number) =>
      send(stage.generator, { origin: service.origin, requests, headers, seconds });
    await load(warmUpSeconds);
    loads.set(kind, { pid: server.pid, load });
  }
  const pids = () => (database === 'postgres' ? stage.postgres.pids() : []);
  const slices: Slice[] = [];
  for (let count = 0; count < stage.options.seconds; count += 1) {
    const samples: [Kind, Slice[Kind]][] = [];
    for (const [kind, { pid, load }] of loads) {
      const before = cpuOfEach(pids());
      const sample = await takeSample(pid, () => load(sliceSeconds));
      const spent = cpuBetween(before, cpuOfEach(pids()));
      samples.push([kind, { ...sample, databaseCpuMicroseconds: (spent * 1e6) / sample.requests }]);
    }
    slices.push(Object.fromEntries(samples) as Slice);
  }
  return slices;
}

function inShort(slices: readonly Slice[]): string {
  const perSecond = (kind: Kind) => median(slices.map((slice) => slice[kind].requestsPerSecond)).toFixed(0);
  return kinds.map((kind) => `${kind} ${perSecond(kind)}/s`).join('  ');
}

export function writesTable(summaries: readonly WritesSummary[]): string {
  return table(
    '**POST a record, by what the log tells of it** (against `none` of the same seconds; above 1: it does more)',
    ['requests/s', 'CPU µs a request', 'of the database', 'by requests/s', 'by CPU', 'its spread'],
    summaries.map(
      ({ database, kind, perSecond, cpuMicroseconds, databaseCpuMicroseconds, byRate, byCpu }) => [
        `${database}, \`events: ${kind}\``,
        shown(perSecond.value),
        shown(cpuMicroseconds.value),
        databaseCpuMicroseconds.value === 0 ? 'none' : shown(databaseCpuMicroseconds.value),
        byRate.value.toFixed(2),
        byCpu.value.toFixed(2),
        percent(byCpu.spread),
      ],
    ),
  );
}
