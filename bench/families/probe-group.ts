import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { bearer } from '../shared/ask.ts';
import { printResult, readGiven } from '../shared/child.ts';
import { eventsPath } from '../shared/stage.ts';
import { note, pathOf } from './data.ts';

/** Opens a stream for each member of a group, writes into the group by the clock, and notes when each stream has it. */
export interface GroupProbe {
  readonly origin: string;
  /** The writer's token first, then those of the members. */
  readonly tokensFile: string;
  readonly streams: number;
  readonly circle: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** A PostgreSQL with pg_stat_statements; null: statements are not counted. */
  readonly databaseUrl: string | null;
}

export interface ProbedGroup {
  readonly messages: number;
  readonly missing: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly statements: number | null;
}

const given = readGiven<GroupProbe>();
const { origin, tokensFile, streams: count, circle, perSecond, seconds, databaseUrl } = given;
const [writer = '', ...members] = readFileSync(tokensFile, 'utf8').split('\n');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const answeredAt = new Map<string, number>();
/** For each write, when the streams had it. */
const seenAt = new Map<string, number[]>();
let seen = 0;

const streams: ClientRequest[] = [];
for (let from = 0; from < count; from += 50)
  streams.push(...(await Promise.all(members.slice(from, Math.min(from + 50, count)).map(listen))));
const statistics = databaseUrl === null ? null : await countStatements(databaseUrl);
const startedAt = performance.now();
const writes = perSecond * seconds;
for (let number = 0; number < writes; number += 1) {
  const waitMs = startedAt + (number * 1000) / perSecond - performance.now();
  if (waitMs > 0) await sleep(waitMs);
  write();
}
const deadline = performance.now() + 10_000;
while ((answeredAt.size < writes || seen < writes * count) && performance.now() < deadline) await sleep(20);
const statements = (await statistics?.()) ?? null;
const delays = [...answeredAt].flatMap(([id, at]) =>
  (seenAt.get(id) ?? []).map((seenThen) => Math.max(seenThen - at, 0)),
);
delays.sort((one, other) => one - other);
const at = (part: number) =>
  delays[Math.min(Math.floor(delays.length * part), delays.length - 1)] ?? Number.NaN;
printResult({
  messages: writes * count,
  missing: writes * count - delays.length,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  maxMs: at(1),
  statements,
} satisfies ProbedGroup);
// The streams would go on.
for (const stream of streams) stream.destroy();
agent.destroy();

function write(): void {
  const headers = { ...bearer(writer), 'content-type': 'application/json' };
  const asked = request(
    `${origin}${pathOf('notes')}`,
    { method: 'POST', agent, headers },
    async (response) => {
      const answered = performance.now();
      let text = '';
      for await (const chunk of response) text += chunk;
      if (response.statusCode === 201) answeredAt.set(JSON.parse(text).id, answered);
      else fail(`${response.statusCode} ${text}`);
    },
  );
  asked.on('error', ({ message }) => fail(message));
  asked.end(note(circle));
}

function fail(reason: string): void {
  process.stderr.write(`A write failed: ${reason}\n`);
  process.exit(1);
}

function listen(token: string): Promise<ClientRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientRequest>();
  const headers = { ...bearer(token), accept: 'text/event-stream' };
  const stream = request(`${origin}${eventsPath}`, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200)
      return reject(new Error(`A stream was answered with ${response.statusCode}.`));
    let rest = '';
    response.setEncoding('latin1');
    response.on('error', () => {});
    response.on('data', (chunk: string) => {
      const arrivedAt = performance.now();
      resolve(stream);
      const blocks = `${rest}${chunk}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /"data":\{"id":"([^"]+)"/.exec(block)?.[1];
        if (id !== undefined) noteSeen(id, arrivedAt);
      }
    });
  });
  stream.on('error', reject);
  stream.end();
  return promise;
}

function noteSeen(id: string, arrivedAt: number): void {
  seen += 1;
  const own = seenAt.get(id);
  if (own === undefined) seenAt.set(id, [arrivedAt]);
  else own.push(arrivedAt);
}

/** The returned function answers with how many statements the database has run since. */
async function countStatements(url: string): Promise<() => Promise<number>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('select pg_stat_statements_reset()');
  return async () => {
    const { rows } = await client.query(`select sum(calls) as calls from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
      and query not like '%pg_stat_statements%'`);
    await client.end();
    return Number(rows[0].calls);
  };
}
