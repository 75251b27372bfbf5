import { join } from 'node:path';
import { ask, bearer } from '../shared/ask.ts';
import { type Database, databases } from '../shared/database.ts';
import { type Request, type RequestFile, send, writeRequests } from '../shared/load.ts';
import { counted, percent, shown, table } from '../shared/markdown.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { takeSample } from '../shared/sample.ts';
import { type Middle, middle } from '../shared/statistics.ts';
import { idOf, under } from './data.ts';
import { ageCallers, circleBody, countUsage, fillRecords, noteBody } from './fill.ts';
import { databaseCpuDuring, type FamiliesStage, newService, register, type Service } from './service.ts';

const childrenEach = 100;
const pageSize = 50;
/** As many in both sizes; they own the parents in turn. */
const readers = 10;
/** So many parents are asked for at most, evenly spread over all. */
const maxAsked = 2_000;
const limits: Readonly<Record<Database, number>> = { sqlite: 1.5, postgres: 1.2 };

interface Entry {
  readonly name: string;
  readonly database: Database;
  readonly size: number;
  readonly service: Service;
  readonly requests: RequestFile;
}

interface Round {
  readonly cpuMicroseconds: number;
  readonly perSecond: number;
}

export interface PagesSummary {
  readonly database: Database;
  readonly size: number;
  readonly cpuMicroseconds: Middle;
  readonly perSecond: Middle;
  /** CPU, the database's too, against the fewest records in the same round. */
  readonly ratio: Middle;
}

/** A page under one parent, with few and with many records in the collection. */
export async function measurePages(stage: FamiliesStage): Promise<readonly PagesSummary[]> {
  const entries: Entry[] = [];
  const { sizes } = stage.options;
  const ends = [sizes[0] ?? 0, sizes.at(-1) ?? 0];
  for (const database of databases)
    for (const size of ends) entries.push(await furnish(database, size, stage));
  const rounds = await measureInRounds(entries, stage, (entry) => measureRound(entry, stage), inShort);
  return [...rounds].map(([{ database, size }, own]): PagesSummary => {
    const [, least = []] = [...rounds].find(([entry]) => entry.database === database) ?? [];
    return {
      database,
      size,
      cpuMicroseconds: middle(own.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      perSecond: middle(own.map(({ perSecond }) => perSecond)),
      ratio: middle(
        own.map((round, index) => round.cpuMicroseconds / (least[index] ?? round).cpuMicroseconds),
      ),
    };
  });
}

async function furnish(database: Database, size: number, stage: FamiliesStage): Promise<Entry> {
  const startedAt = performance.now();
  const service = await newService(`pages-${size}`, database, under, stage);
  const owners = await register(service, readers, stage);
  const parents = Math.ceil(size / childrenEach);
  await service.fill([
    ageCallers,
    fillRecords(database, {
      collection: 'circles',
      first: 0,
      count: parents,
      owners,
      state: null,
      body: circleBody,
    }),
    // A parent's children are spread over the table.
    fillRecords(database, {
      collection: 'notes',
      first: 0,
      count: size,
      state: 'open',
      circle: `n % ${parents}`,
      body: noteBody(database, `n % ${parents}`),
    }),
    countUsage,
  ]);
  const asked = Math.min(parents, maxAsked);
  const requests = Array.from({ length: asked }, (_, index): Request => {
    const parent = Math.floor((index * parents) / asked);
    const token = stage.tokens[parent % readers] as string;
    return { method: 'GET', path: `/api/consumer/v1/notes?circle=${idOf(parent)}&limit=${pageSize}`, token };
  });
  const name = `page on ${database}, ${counted(size)}`;
  stage.say(`${name}: filled after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const file = writeRequests(join(service.folder, 'pages.txt'), requests);
  await check(service, requests[0] as Request);
  return { name, database, size, service, requests: file };
}

async function check(service: Service, { path, token }: Request): Promise<void> {
  const server = await service.start();
  const { status, body } = await ask(`${service.origin}${path}`, bearer(token)).finally(() => server.stop());
  if (status !== 200 || JSON.parse(body).items.length !== pageSize)
    throw new Error(`A page was answered with ${status}: ${body.slice(0, 500)}`);
}

async function measureRound({ database, service, requests }: Entry, stage: FamiliesStage): Promise<Round> {
  const { seconds } = stage.options;
  const server = await service.start();
  try {
    const load = (lasts: number) =>
      send(stage.generator, { origin: service.origin, requests, seconds: lasts });
    // Each parent has been asked for before it counts.
    await load(seconds + 2);
    const [sample, spent] = await databaseCpuDuring(database, stage, () =>
      takeSample(server.pid, () => load(seconds + 1)),
    );
    return {
      cpuMicroseconds: sample.cpuMicroseconds + (spent * 1e6) / sample.requests,
      perSecond: sample.requestsPerSecond,
    };
  } finally {
    await server.stop();
  }
}

function inShort({ cpuMicroseconds, perSecond }: Round): string {
  return `${perSecond.toFixed(0)}/s ${cpuMicroseconds.toFixed(0)} us`;
}

export function pagesTable(summaries: readonly PagesSummary[]): string {
  return table(
    `**A page of ${pageSize} under one parent, of about ${childrenEach}** (CPU with the database's; ratio to the fewest records)`,
    ['requests/s', 'CPU µs', 'ratio', 'its spread', 'at most'],
    summaries.map(({ database, size, perSecond, cpuMicroseconds, ratio }, index) => [
      `${database}, ${counted(size)} records`,
      shown(perSecond.value),
      shown(cpuMicroseconds.value),
      ratio.value.toFixed(2),
      percent(ratio.spread),
      index % 2 === 0 ? '' : limits[database].toFixed(1),
    ]),
  );
}
