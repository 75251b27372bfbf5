import { setTimeout as sleep } from 'node:timers/promises';
import { type MeLatency, meLatency } from '../me-under-load/latency.ts';
import { residentMegabytes } from '../shared/counters.ts';
import { counted, shown, table } from '../shared/markdown.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { type Middle, median, middle } from '../shared/statistics.ts';
import { holdStreams } from '../shared/streams.ts';
import { callers } from '../shared/tokens.ts';
import { type EventsStage, newService } from './service.ts';

export const idleStreams = 5_000;
const quickStreams = 500;
/** Long enough for a p99, and short enough that both of a pair are asked at about the same time. */
const sliceSeconds = 4;

interface Round {
  readonly streams: number;
  readonly kilobytesEach: number;
  readonly slices: readonly { readonly alone: MeLatency; readonly beside: MeLatency }[];
}

export interface IdleSummary {
  readonly streams: number;
  readonly kilobytesEach: Middle;
  readonly aloneP99Ms: Middle;
  readonly besideP99Ms: Middle;
  readonly p99Ratio: Middle;
}

/** Measures the cost of an idle stream, and of many idle streams for other requests. */
export async function measureIdle(stage: EventsStage): Promise<IdleSummary> {
  const rounds = await measureInRounds([{ name: 'idle streams' }], stage, () => measureRound(stage), inShort);
  const [own = []] = rounds.values();
  const slices = own.flatMap((round) => round.slices);
  return {
    streams: own[0]?.streams ?? 0,
    kilobytesEach: middle(own.map(({ kilobytesEach }) => kilobytesEach)),
    aloneP99Ms: middle(slices.map(({ alone }) => alone.p99Ms)),
    besideP99Ms: middle(slices.map(({ beside }) => beside.p99Ms)),
    p99Ratio: middle(slices.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms)),
  };
}

/** Two services on one core, one with the streams and one without, are asked in turn: a slow moment falls on both. */
async function measureRound(stage: EventsStage): Promise<Round> {
  const { options, goodToken } = stage;
  const tokens = stage.tokens.slice(0, callers);
  await using running = new AsyncDisposableStack();
  const start = async (name: string) => {
    const service = await newService(name, 'sqlite', 'thin', stage);
    const server = await service.start();
    running.defer(() => server.stop());
    const { origin, surroundings } = service;
    // What is remembered of the callers and their tokens is there before, and so is all that V8 compiles.
    await (await holdStreams(origin, tokens, 500, surroundings.folder)).stop();
    const me = () => meLatency(origin, goodToken, sliceSeconds);
    await me();
    return { origin, folder: surroundings.folder, pid: server.pid, me };
  };
  const without = await start('idle-without');
  const held = await start('idle');
  const streams = options.partial ? quickStreams : idleStreams;
  await sleep(2_000);
  const before = residentMegabytes(held.pid);
  const holder = await holdStreams(held.origin, tokens, streams, held.folder);
  running.defer(() => holder.stop());
  await sleep(5_000);
  const kilobytesEach = ((residentMegabytes(held.pid) - before) * 1024) / streams;
  const slices: Round['slices'][number][] = [];
  for (let count = 0; count < options.seconds; count += 1)
    slices.push({ alone: await without.me(), beside: await held.me() });
  return { streams, kilobytesEach, slices };
}

function inShort({ streams, kilobytesEach, slices }: Round): string {
  const p99 = (which: 'alone' | 'beside') => median(slices.map((slice) => slice[which].p99Ms)).toFixed(2);
  return `${streams} streams, ${kilobytesEach.toFixed(1)} kB each, /me p99 ${p99('alone')} -> ${p99('beside')} ms`;
}

export function idleTable({
  streams,
  kilobytesEach,
  aloneP99Ms,
  besideP99Ms,
  p99Ratio,
}: IdleSummary): string {
  return table(
    '**Streams on which nothing happens, without TLS, and `GET /me` beside them**',
    ['kB each', '/me p99 ms without', 'with', 'ratio'],
    [
      [
        `${counted(streams)} streams`,
        shown(kilobytesEach.value),
        shown(aloneP99Ms.value),
        shown(besideP99Ms.value),
        p99Ratio.value.toFixed(2),
      ],
    ],
  );
}
