import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../shared/counters.ts';
import { type Database, databases, executeIn } from '../shared/database.ts';
import { counted, percent, shown, table } from '../shared/markdown.ts';
import { loadCore, runForResult, script } from '../shared/processes.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { type Middle, middle, sum } from '../shared/statistics.ts';
import { holdStreams } from '../shared/streams.ts';
import { callers } from '../shared/tokens.ts';
import { group, idOf } from './data.ts';
import { ageCallers, circleBody, fillMembers, fillRecords } from './fill.ts';
import type { GroupProbe, ProbedGroup } from './probe-group.ts';
import { type FamiliesStage, newService, register, type Service } from './service.ts';

const memberships = 20;
const writesPerSecond = 20;
/** Live members of the group, the fewest first: the number of statements must be the same. */
const audiences = (isQuick: boolean) => (isQuick ? [10, 50] : [50, 500]);
const limits = { kilobytes: 25, p50Ms: 25, p99Ms: 150, statements: 1.1 };

export interface StreamsSummary {
  readonly streams: number;
  readonly kilobytesEach: Middle;
  readonly groups: readonly GroupSummary[];
}

interface GroupSummary {
  readonly database: Database;
  readonly members: number;
  readonly messages: number;
  readonly missing: number;
  readonly p50Ms: Middle;
  readonly p99Ms: Middle;
  readonly maxMs: Middle;
  /** With all members against the fewest; null on SQLite. */
  readonly statements: { readonly few: Middle; readonly many: Middle; readonly ratio: Middle } | null;
}

export async function measureStreams(stage: FamiliesStage): Promise<StreamsSummary> {
  const idle = await measureInRounds(
    [{ name: 'idle streams' }],
    stage,
    () => measureIdle(stage),
    (kilobytes) => `${kilobytes.toFixed(1)} kB each`,
  );
  const entries = [];
  for (const database of databases)
    entries.push({ name: `group on ${database}`, database, service: await furnishGroup(database, stage) });
  const rounds = await measureInRounds(entries, stage, (entry) => measureGroup(entry, stage), inShort);
  const groups = [...rounds].map(([{ database }, own]): GroupSummary => {
    const many = own.map((round) => round.many);
    const ratios = own.map((round) => (round.many.statements ?? 0) / (round.few.statements ?? 1));
    const statementsOf = (which: 'few' | 'many') => middle(own.map((round) => round[which].statements ?? 0));
    return {
      database,
      members: audiences(stage.options.quick).at(-1) ?? 0,
      messages: sum(many.map(({ messages }) => messages)),
      missing: sum(many.map(({ missing }) => missing)),
      p50Ms: middle(many.map(({ p50Ms }) => p50Ms)),
      p99Ms: middle(many.map(({ p99Ms }) => p99Ms)),
      maxMs: middle(many.map(({ maxMs }) => maxMs)),
      statements:
        database === 'sqlite'
          ? null
          : { few: statementsOf('few'), many: statementsOf('many'), ratio: middle(ratios) },
    };
  });
  const kilobytesEach = middle([...idle.values()].flat());
  return { streams: idleStreams(stage), kilobytesEach, groups };
}

function idleStreams({ options }: FamiliesStage): number {
  return options.quick ? 500 : 5_000;
}

/** Resident memory of a stream on which nothing happens, of a caller with twenty roles. */
async function measureIdle(stage: FamiliesStage): Promise<number> {
  const service = await newService('idle', 'sqlite', group, stage);
  await register(service, callers, stage);
  const circles = 400;
  await service.fill([
    ageCallers,
    fillRecords('sqlite', { collection: 'circles', first: 0, count: circles, state: null, body: circleBody }),
    fillMembers('sqlite', memberships, circles),
  ]);
  await using running = new AsyncDisposableStack();
  const server = await service.start();
  running.defer(() => server.stop());
  const tokens = stage.tokens.slice(0, callers);
  // What is remembered of the callers and their tokens is there before, and so is all that V8 compiles.
  for (let times = 0; times < 4; times += 1) {
    const own = tokens.slice(times * 500, times * 500 + 500);
    await (await holdStreams(service.origin, own, 500, service.folder)).stop();
  }
  await sleep(2_000);
  const before = residentMegabytes(server.pid);
  const streams = idleStreams(stage);
  const holder = await holdStreams(service.origin, tokens, streams, service.folder);
  running.defer(() => holder.stop());
  await sleep(5_000);
  return ((residentMegabytes(server.pid) - before) * 1024) / streams;
}

/** One group; its owner writes, and all members have a stream. */
async function furnishGroup(database: Database, stage: FamiliesStage): Promise<Service> {
  const service = await newService('group', database, group, stage);
  const max = audiences(stage.options.quick).at(-1) ?? 0;
  const ids = await register(service, max + 1, stage);
  const circle = {
    collection: 'circles',
    first: 0,
    count: 1,
    owners: ids.slice(0, 1),
    state: null,
    body: circleBody,
  };
  await service.fill([ageCallers, fillRecords(database, circle), fillMembers(database, 1, 1)]);
  writeFileSync(join(service.folder, 'tokens.txt'), stage.tokens.slice(0, max + 1).join('\n'));
  if (database === 'postgres') {
    const name = new URL(service.databaseUrl).pathname.slice(1);
    await executeIn(service.databaseUrl, [
      'create extension pg_stat_statements',
      `alter database "${name}" set pg_stat_statements.track = 'all'`,
    ]);
  }
  return service;
}

interface Round {
  readonly few: ProbedGroup;
  readonly many: ProbedGroup;
}

async function measureGroup(
  { database, service }: { readonly database: Database; readonly service: Service },
  { options }: FamiliesStage,
): Promise<Round> {
  const server = await service.start();
  const probe = (streams: number, seconds: number) => {
    const given: GroupProbe = {
      origin: service.origin,
      tokensFile: join(service.folder, 'tokens.txt'),
      streams,
      circle: idOf(0),
      perSecond: writesPerSecond,
      seconds,
      databaseUrl: database === 'postgres' ? service.databaseUrl : null,
    };
    const program = script(join(import.meta.dirname, 'probe-group.ts'), given);
    return runForResult<ProbedGroup>(program, seconds + 60, loadCore);
  };
  try {
    const [min = 0, max = 0] = audiences(options.quick);
    await probe(max, 3);
    const seconds = options.quick ? 2 : 5;
    return { few: await probe(min, seconds), many: await probe(max, seconds) };
  } finally {
    await server.stop();
  }
}

function inShort({ few, many }: Round): string {
  const { p50Ms, p99Ms, maxMs, messages, missing } = many;
  const statements = many.statements === null ? '' : `, ${few.statements} and ${many.statements} statements`;
  return `p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} most ${maxMs.toFixed(1)} ms, ${missing} of ${messages} missing${statements}`;
}

export function streamsTable({ streams, kilobytesEach, groups }: StreamsSummary): string {
  const row = (name: string, { value, spread }: Middle, limit: number) => [
    name,
    shown(value),
    percent(spread),
    String(limit),
  ];
  return table(
    `**Streams of members** (${writesPerSecond} writes a second into one group; from the answer to a write to its event at each stream)`,
    ['figure', 'its spread', 'at most'],
    [
      row(
        `kB of each of ${counted(streams)} idle streams, ${memberships} memberships each, without TLS (SQLite)`,
        kilobytesEach,
        limits.kilobytes,
      ),
      ...groups.flatMap(({ database, members, p50Ms, p99Ms, missing, messages, statements }) => [
        row(`${database}, ${counted(members)} members: p50 ms`, p50Ms, limits.p50Ms),
        row(`${database}, ${counted(members)} members: p99 ms`, p99Ms, limits.p99Ms),
        [`${database}: missing of ${counted(messages)} messages`, counted(missing), '', '0'],
        ...(statements === null
          ? []
          : [
              row(
                `${database}: statements (${shown(statements.many.value)}), against a tenth of the members (${shown(statements.few.value)})`,
                statements.ratio,
                limits.statements,
              ),
            ]),
      ]),
    ],
  );
}
