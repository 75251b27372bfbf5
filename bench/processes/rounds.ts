import { join } from 'node:path';
import { connections, type Request, send, writeRequests } from '../shared/load.ts';
import { percent, shown, table } from '../shared/markdown.ts';
import { cpuBetween, cpuOfEach, type Postgres, startPostgresServer } from '../shared/postgres.ts';
import { allCores, loadCore } from '../shared/processes.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { mePath, type Stage } from '../shared/stage.ts';
import { type Middle, middle } from '../shared/statistics.ts';
import { callers, signTokens } from '../shared/tokens.ts';
import { type Count, counts, startWith } from './service.ts';

interface Work {
  readonly title: string;
  readonly request: (token: string) => Request;
}

const note = { text: 'a word and another '.repeat(15), stars: 3 };
const works: readonly Work[] = [
  { title: 'GET /me, tokens seen before', request: (token) => ({ method: 'GET', path: mePath, token }) },
  {
    title: 'POST a record, PostgreSQL',
    request: (token) => ({
      method: 'POST',
      path: '/api/consumer/v1/notes',
      token,
      body: JSON.stringify(note),
    }),
  },
];
const headers = { 'content-type': 'application/json' };
const warmUpSeconds = 8;
/** Machines that are shared change their speed from one second to the next. */
const sliceSeconds = 3;

interface Sample {
  readonly perSecond: number;
  /** Of all processes of the service, its supervisor too. */
  readonly cpuMicroseconds: number;
}

/** One for each number of processes, taken within seconds of each other. */
type Slice = Readonly<Record<Count, Sample>>;

interface Summary {
  readonly title: string;
  readonly one: { readonly perSecond: Middle; readonly cpuMicroseconds: Middle };
  readonly two: { readonly perSecond: Middle; readonly cpuMicroseconds: Middle };
  readonly byRate: Middle;
  readonly byCpu: Middle;
}

/**
 * What a second process gives, and what it costs a request: two on both cores, which the load shares, beside one on a core.
 * Each process has as many connections, so that as many writes find themselves in a batch.
 */
export async function measureProcesses(stage: Stage): Promise<string> {
  const { repeat, seconds } = stage.options;
  const postgres = await startPostgresServer(stage.folder);
  try {
    const tokens = (await signTokens(stage.provider, callers)).slice(0, callers);
    const summaries: Summary[] = [];
    for (const work of works) {
      const slices: Slice[] = [];
      for (let round = 1; round <= repeat; round += 1) {
        const own = await measureRound(work, tokens, stage, postgres);
        slices.push(...own);
        stage.say(`round ${round}  ${work.title.padEnd(30)}${inShort(summarize(work, own))}`);
      }
      summaries.push(summarize(work, slices));
    }
    writeFigures('processes', stage, { rounds: repeat, seconds, callers }, { summaries });
    const how =
      ' for each process; one process on a core and the load on another, two on both with the load; PostgreSQL beside the load';
    return writeTables('processes', stage, [summaryTable(summaries)], how);
  } finally {
    await postgres.stop();
  }
}

/** Both services are there at once, and each is asked in turn while the other has nothing to do. */
async function measureRound(
  { title, request }: Work,
  tokens: readonly string[],
  stage: Stage,
  postgres: Postgres,
): Promise<readonly Slice[]> {
  await using running = new AsyncDisposableStack();
  const loads = new Map<Count, (forSeconds: number) => Promise<Sample>>();
  for (const processes of counts) {
    const service = await startWith(processes, stage, postgres);
    running.defer(() => service.stop());
    const file = join(service.folder, `${title.split(' ')[0]}.txt`);
    const { origin } = service;
    const requests = writeRequests(file, tokens.map(request));
    const cores = processes === 1 ? loadCore : allCores;
    const load = async (forSeconds: number): Promise<Sample> => {
      const before = cpuOfEach(service.pids());
      const asked = { origin, requests, headers, seconds: forSeconds, connections: processes * connections };
      const result = await send(stage.generator, asked, cores);
      const spent = cpuBetween(before, cpuOfEach(service.pids()));
      return {
        perSecond: result.requests / result.seconds,
        cpuMicroseconds: (spent * 1e6) / result.requests,
      };
    };
    await load(warmUpSeconds);
    loads.set(processes, load);
  }
  const slices: Slice[] = [];
  for (let count = 0; count < stage.options.seconds; count += 1) {
    const samples: [Count, Sample][] = [];
    for (const [processes, load] of loads) samples.push([processes, await load(sliceSeconds)]);
    slices.push(Object.fromEntries(samples) as unknown as Slice);
  }
  return slices;
}

function summarize({ title }: Work, slices: readonly Slice[]): Summary {
  const of = (figure: (slice: Slice) => number) => middle(slices.map(figure));
  const each = (count: Count) => ({
    perSecond: of((slice) => slice[count].perSecond),
    cpuMicroseconds: of((slice) => slice[count].cpuMicroseconds),
  });
  return {
    title,
    one: each(1),
    two: each(2),
    byRate: of((slice) => slice[2].perSecond / slice[1].perSecond),
    byCpu: of((slice) => slice[2].cpuMicroseconds / slice[1].cpuMicroseconds),
  };
}

function inShort({ byRate, byCpu, one, two }: Summary): string {
  const rates = `${one.perSecond.value.toFixed(0)}/s and ${two.perSecond.value.toFixed(0)}/s`;
  return `${rates}, x ${byRate.value.toFixed(2)}, CPU x ${byCpu.value.toFixed(2)}`;
}

function summaryTable(summaries: readonly Summary[]): string {
  return table(
    '**Two processes beside one** (two on both cores, which the load shares; one on a core of its own)',
    [
      'one: requests/s',
      'CPU µs',
      'two: requests/s',
      'CPU µs',
      'by requests/s',
      'CPU a request',
      'its spread',
    ],
    summaries.map(({ title, one, two, byRate, byCpu }) => [
      title,
      shown(one.perSecond.value),
      shown(one.cpuMicroseconds.value),
      shown(two.perSecond.value),
      shown(two.cpuMicroseconds.value),
      byRate.value.toFixed(2),
      byCpu.value.toFixed(2),
      percent(byCpu.spread),
    ]),
  );
}
