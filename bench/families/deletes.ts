import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '../shared/ask.ts';
import { type Database, databases } from '../shared/database.ts';
import { counted, shown, table } from '../shared/markdown.ts';
import { loadCore, type RunningServer, script, startServer } from '../shared/processes.ts';
import { median, sum } from '../shared/statistics.ts';
import { idOf, note, pathOf, under } from './data.ts';
import { ageCallers, circleBody, countUsage, fillRecords, noteBody } from './fill.ts';
import type { ProbedWrites, WritesProbe } from './probe-writes.ts';
import { type FamiliesStage, newService, register, type Service } from './service.ts';

/** Others write by the clock, each under a parent of its own. They own children of the deleted parent, too. */
const writers = 40;
const writesPerSecond = 100;
const plainDeletes = 60;
const limits = { answer: 2, goneSeconds: 300, p99: 2 };

export interface DeleteSummary {
  readonly database: Database;
  readonly children: number;
  readonly owners: number;
  readonly plainMs: number;
  readonly parentMs: number;
  /** From the answer to the moment at which no child is left. */
  readonly goneSeconds: number;
  /** The part of it in which children were being deleted. */
  readonly workSeconds: number;
  readonly beforeP99Ms: number;
  readonly meanwhileP99Ms: number;
  readonly meanwhileWrites: number;
  /** By reason. */
  readonly failedWrites: Readonly<Record<string, number>>;
}

/** A parent with many children is deleted while others write. Once on each database: the sweeper runs once a minute. */
export async function measureDeletes(stage: FamiliesStage): Promise<readonly DeleteSummary[]> {
  const { quick } = stage.options;
  const measure = async (database: Database) => {
    const summary = await measureOne(database, stage);
    stage.say(`DELETE on ${database}: ${inShort(summary)}`);
    return summary;
  };
  if (quick) return Promise.all(databases.map(measure));
  const summaries: DeleteSummary[] = [];
  for (const database of databases) summaries.push(await measure(database));
  return summaries;
}

async function measureOne(database: Database, stage: FamiliesStage): Promise<DeleteSummary> {
  const [children, owners] = stage.options.quick ? [2_000, 50] : [100_000, 1_000];
  const service = await newService('delete', database, under, stage);
  const ids = await register(service, owners, stage);
  await service.fill(fillAll(database, children, ids));
  await using running = new AsyncDisposableStack();
  const server = await service.start();
  running.defer(() => server.stop());
  const token = stage.tokens[0] as string;
  const times: number[] = [];
  const agent = new Agent({ keepAlive: true });
  running.defer(() => agent.destroy());
  const plain = async (from: number) => {
    for (let number = from; number < from + plainDeletes / 3; number += 1)
      times.push(await timedDelete(`${service.origin}${pathOf('plain')}/${idOf(number)}`, token, agent));
  };
  // The first third warms up.
  await plain(0);
  times.length = 0;
  await plain(plainDeletes / 3);
  const parentMs = await timedDelete(`${service.origin}${pathOf('circles')}/${idOf(0)}`, token, agent);
  const deletedAt = Date.now();
  await plain((plainDeletes * 2) / 3);
  const probe = startWriters(service, stage);
  running.defer(() => probe.stop());
  const window = await waitUntilGone(service, children);
  await sleep(200);
  const { sentAt, tookMs, failures } = await probe.result();
  const during = (from: number, to: number) =>
    tookMs.filter((_, index) => {
      const at = sentAt[index] as number;
      return at >= from && at < to;
    });
  const meanwhile = during(window.beganAt, window.endedAt);
  // The first seconds warm up.
  const before = during((sentAt[0] ?? 0) + 8_000, window.beganAt - 1_000);
  return {
    database,
    children,
    owners,
    plainMs: median(times),
    parentMs,
    goneSeconds: (window.endedAt - deletedAt) / 1000,
    workSeconds: (window.endedAt - window.beganAt) / 1000,
    beforeP99Ms: p99(before),
    meanwhileP99Ms: p99(meanwhile),
    meanwhileWrites: meanwhile.length,
    failedWrites: failures,
  };
}

function fillAll(database: Database, children: number, ids: readonly string[]): readonly string[] {
  const titled = { first: 0, state: null, body: circleBody };
  const body = noteBody(database, '0');
  return [
    ageCallers,
    fillRecords(database, {
      ...titled,
      collection: 'circles',
      count: writers + 1,
      owners: ids.slice(0, writers + 1),
    }),
    fillRecords(database, { ...titled, collection: 'plain', count: plainDeletes, owners: ids.slice(0, 1) }),
    fillRecords(database, {
      collection: 'notes',
      first: 0,
      count: children,
      state: 'open',
      circle: '0',
      body,
    }),
    countUsage,
  ];
}

function startWriters(service: Service, stage: FamiliesStage) {
  const requestsFile = join(service.folder, 'writes.txt');
  const lines = stage.tokens
    .slice(1, writers + 1)
    .map((token, index) => `${token}\t${note(idOf(index + 1))}`);
  writeFileSync(requestsFile, lines.join('\n'));
  const given: WritesProbe = {
    url: `${service.origin}${pathOf('notes')}`,
    requestsFile,
    perSecond: writesPerSecond,
  };
  const output = join(service.folder, 'writes.log');
  const program = script(join(import.meta.dirname, 'probe-writes.ts'), given);
  const probe: RunningServer = startServer(program, output, loadCore);
  return {
    stop: () => probe.stop(),
    async result(): Promise<ProbedWrites> {
      await probe.stop();
      const printed = readFileSync(output, 'utf8');
      const line = /^RESULT (.*)$/m.exec(printed)?.[1];
      if (line === undefined) throw new Error(`The writers said: ${printed.slice(-2_000)}`);
      return JSON.parse(line);
    },
  };
}

/** When the first of the children was gone, and when the last. */
async function waitUntilGone(service: Service, children: number) {
  const filled = `collection = 'notes' and id <= '${idOf(children - 1)}'`;
  const left = () => service.count(`select count(*) from records where ${filled}`);
  let beganAt = Number.NaN;
  const deadline = Date.now() + 600_000;
  for (let lookedAt = Date.now(); Date.now() < deadline; lookedAt = Date.now()) {
    const count = await left();
    if (count < children && Number.isNaN(beganAt)) beganAt = lookedAt;
    if (count === 0) return { beganAt, endedAt: Date.now() };
    await sleep(250);
  }
  throw new Error('The children are not gone after ten minutes.');
}

function timedDelete(url: string, token: string, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sentAt = performance.now();
  const asked = request(url, { method: 'DELETE', agent, headers: bearer(token) }, (response) => {
    response.resume();
    response.on('error', reject);
    response.on('end', () =>
      response.statusCode === 204
        ? resolve(performance.now() - sentAt)
        : reject(new Error(`DELETE ${url} was answered with ${response.statusCode}.`)),
    );
  });
  asked.on('error', reject);
  asked.end();
  return promise;
}

/** A write that failed is the slowest. */
function p99(took: readonly (number | null)[]): number {
  const sorted = took.map((one) => one ?? Number.POSITIVE_INFINITY).sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

function inShort(summary: DeleteSummary): string {
  const { plainMs, parentMs, goneSeconds, workSeconds, beforeP99Ms, meanwhileP99Ms, failedWrites } = summary;
  const ms = (value: number) => value.toFixed(2);
  return `answer ${ms(plainMs)} -> ${ms(parentMs)} ms, gone after ${goneSeconds.toFixed(1)} s (${workSeconds.toFixed(1)} s of work), p99 of writes ${ms(beforeP99Ms)} -> ${ms(meanwhileP99Ms)} ms, failed: ${JSON.stringify(failedWrites)}`;
}

export function deletesTable(summaries: readonly DeleteSummary[]): string {
  const [first] = summaries;
  return table(
    `**A parent with ${counted(first?.children ?? 0)} children of ${counted(first?.owners ?? 0)} owners is deleted, while others write ${writesPerSecond} times a second**`,
    ['alone, or before', 'with the children', 'ratio', 'at most'],
    summaries.flatMap((summary) => {
      const { database, plainMs, parentMs, goneSeconds, workSeconds, beforeP99Ms, meanwhileP99Ms } = summary;
      const { failedWrites } = summary;
      const ratio = (name: string, before: number, after: number, limit: number) => [
        `${database}: ${name}`,
        shown(before),
        shown(after),
        (after / before).toFixed(2),
        limit.toFixed(1),
      ];
      return [
        ratio('answer to DELETE, ms', plainMs, parentMs, limits.answer),
        [`${database}: all are gone after, s`, '', shown(goneSeconds), '', String(limits.goneSeconds)],
        [`${database}: of which the sweeper has worked, s`, '', shown(workSeconds), '', ''],
        ratio('p99 of other writers, ms', beforeP99Ms, meanwhileP99Ms, limits.p99),
        [`${database}: writes that failed`, '', String(sum(Object.values(failedWrites))), '', '0'],
      ];
    }),
  );
}
