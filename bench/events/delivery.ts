import { join } from 'node:path';
import { type Database, databases } from '../shared/database.ts';
import { counted, shown, table } from '../shared/markdown.ts';
import { allCores, runForResult, script } from '../shared/processes.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { type Middle, middle, sum } from '../shared/statistics.ts';
import { beginForeignTransaction } from './foreign-transaction.ts';
import { besides, type EventsStage, newService } from './service.ts';

export const writesPerSecond = 500;

/** How long a foreign transaction is open in the longer of the two measurements. */
const foreignSeconds = 30;

interface Entry {
  readonly name: string;
  readonly database: Database;
  readonly isBesideForeign: boolean;
}

interface Round {
  readonly writes: number;
  readonly seen: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface DeliverySummary {
  readonly name: string;
  readonly writes: number;
  readonly missing: number;
  readonly p50Ms: Middle;
  readonly p99Ms: Middle;
  readonly maxMs: Middle;
}

/** From the answer to a write at one process to its event on the stream of another. */
export async function measureDelivery(stage: EventsStage): Promise<readonly DeliverySummary[]> {
  const entries = databases.flatMap((database): Entry[] => [
    { name: `stream on ${database}`, database, isBesideForeign: false },
    { name: `${database}, beside a foreign one`, database, isBesideForeign: true },
  ]);
  const rounds = await measureInRounds(entries, stage, (entry) => measureRound(entry, stage), inShort);
  return [...rounds].map(([{ database, isBesideForeign }, own]) => ({
    name: isBesideForeign ? `${database}, beside a transaction of ${foreignSeconds} s` : database,
    writes: sum(own.map(({ writes }) => writes)),
    missing: sum(own.map(({ writes, seen }) => writes - seen)),
    p50Ms: middle(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(own.map(({ p99Ms }) => p99Ms)),
    maxMs: middle(own.map(({ maxMs }) => maxMs)),
  }));
}

async function measureRound({ database, isBesideForeign }: Entry, stage: EventsStage): Promise<Round> {
  const service = await newService(`${database}-delivery`, database, 'thin', stage);
  const other = await besides(service, stage);
  const writing = await service.start(allCores);
  const streaming = await other.start(allCores);
  const given = (seconds: number) => ({
    writeTo: service.origin,
    listenTo: other.origin,
    token: stage.goodToken,
    perSecond: writesPerSecond,
    seconds,
  });
  const probe = (seconds: number) =>
    runForResult<Round>(
      script(join(import.meta.dirname, 'probe-stream.ts'), given(seconds)),
      seconds + 60,
      allCores,
    );
  try {
    await probe(3);
    if (!isBesideForeign) return await probe(stage.options.seconds * 2);
    const end = await beginForeignTransaction(String(service.program.environment.DATABASE_URL));
    return await probe(stage.options.partial ? stage.options.seconds : foreignSeconds).finally(end);
  } finally {
    await writing.stop();
    await streaming.stop();
  }
}

function inShort({ p50Ms, p99Ms, maxMs, writes, seen }: Round): string {
  return `p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} most ${maxMs.toFixed(1)} ms, ${writes - seen} of ${writes} missing`;
}

export function deliveryTable(summaries: readonly DeliverySummary[]): string {
  return table(
    `**From the answer to a write at one process to its event on a stream of another, ${writesPerSecond} writes a second**`,
    ['p50 ms', 'p99 ms', 'most ms', 'missing'],
    summaries.map(({ name, p50Ms, p99Ms, maxMs, missing, writes }) => [
      name,
      shown(p50Ms.value),
      shown(p99Ms.value),
      shown(maxMs.value),
      `${missing} of ${counted(writes)}`,
    ]),
  );
}
