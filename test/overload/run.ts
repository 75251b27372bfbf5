import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Caller, newAgent } from '../support/load/caller.ts';
import { concurrently } from '../support/load/flood.ts';
import { cpuSeconds, MemoryWatch, pinLoad, startPinned } from '../support/load/pinned-service.ts';
import { openMany, RawConnection } from '../support/load/raw-connection.ts';
import {
  listRequest,
  meRequest,
  streamRequest,
  tokenRequest,
  writeRequest,
} from '../support/load/requests.ts';
import { openStage } from '../support/run/stage.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { addClient, databaseEngines, newSettings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';
import { startBare } from './bare-server.ts';
import { capacity, type Outcomes, overload, Samples } from './load.ts';
import { probe, untilWell } from './probe.ts';
import { startRefusals } from './refusals.ts';
import { streamCapacity, streamOverload } from './streams.ts';

/**
 * `npm run overload -- --database sqlite|postgres [--part <name>]`: many times what the service can take of writes, of `/me`, of lists, of tokens and of streams,
 * callers who hang up, connections that are refused again and again, and two thousand that come at once; how it goes with everybody
 * else meanwhile. It prints figures and judges nothing, because a busy machine would be judged with it.
 */
const all = ['writes', 'me', 'list', 'token', 'streams', 'hang-up', 'refusals', 'connects'];
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '10' },
    times: { type: 'string', default: '10' },
    part: { type: 'string', multiple: true, default: all },
  },
});
const database = databaseEngines.find((engine) => engine === values.database);
if (database === undefined) throw new Error(`--database is one of ${databaseEngines.join(', ')}`);
const seconds = Number(values.seconds);
const notes = `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 280 }, stars: { type: integer } }
limits: { per_user: 1000000, writes: 1000000/min }`;

pinLoad();
const stage = await openStage();
const provider = await TestProvider.start();
const settings = await newSettings(database, {
  ...provider.settings,
  COLLECTIONS_DIR: declarationsFolder({ notes }),
  LOG_LEVEL: 'info',
  NEWCOMERS_PER_HOUR: '0',
  READS_PER_MINUTE: '1000000',
});
const service = await startPinned(settings);
const { url: origin, opsUrl } = service;
const agent = newAgent();
const tokensOf = (kind: string, count: number) => {
  const exp = Math.floor(Date.now() / 1000) + 6 * 3600;
  let made = 0;
  return concurrently(count, 16, () => provider.token({ sub: `${kind} ${made++}`, exp }));
};
const show = (name: string, text: unknown) => console.log(`  ${name.padEnd(44)} ${text}`);
const postOne = async (token: string) =>
  (await new Caller(origin, token, agent).send('POST', '/notes', { text: 'well?' })).status;

const tokens = await tokensOf('somebody', 400);
const [token = ''] = await tokensOf('bystander', 1);
const machines: Credentials[] = [];
for (let number = 0; number < 20; number += 1) {
  const id = `machine-${number}`;
  machines.push({ id, secret: await addClient(settings, id) });
}

/** The throughput of a kind of request, and the effect of many times that load. */
async function flood(kind: string, requests: readonly string[], good: number): Promise<void> {
  const load = { origin, requests, good, seconds };
  await capacity({ ...load, seconds: 3 }, 64);
  const most = await capacity(load, 256);
  const perSecond = Math.round(most.perSecond);
  console.log(`${database}: ${perSecond} ${kind} a second over 256 connections`);
  show('accepted', most.outcomes.accepted);

  const due = perSecond * Number(values.times);
  const connections = 4_000;
  console.log(`${due} ${kind} a second over ${connections} connections`);
  await watched(() => overload(load, { perSecond: due, connections }));
  const bare = await startBare();
  const floor = await overload({ ...load, origin: bare.origin }, { perSecond: due, connections });
  bare.process.kill();
  show('refused (503) by a bare server on that core', floor.refused);
}

/** Live streams, opened and left again, as when all come back after a restart. */
async function streams(): Promise<void> {
  const load = { origin, requests: tokens.map(streamRequest), good: 200, seconds };
  await streamCapacity({ ...load, seconds: 3 }, 64);
  const most = await streamCapacity(load, 64);
  const perSecond = Math.round(most.perSecond);
  console.log(`${database}: ${perSecond} streams opened a second, 64 at once`);
  show('accepted', most.outcomes.accepted);
  console.log(`${perSecond * Number(values.times)} streams opened a second`);
  await watched(() => streamOverload(load, perSecond * Number(values.times)));
}

async function watched(run: () => Promise<Outcomes>): Promise<void> {
  const memory = new MemoryWatch(service);
  const before = cpuSeconds(service);
  const livez = probe(`${opsUrl}/livez`, [], 20, seconds);
  const outcomes = await run();
  show('well again after', `${await untilWell(() => postOne(token))} ms`);
  showOutcomes(outcomes);
  show('accepted a second', Math.round(outcomes.accepted.count / seconds));
  show('/livez', await livez);
  show('memory', memory.stop());
  show('the core of the service', `${Math.round((cpuSeconds(service) - before) * 10) / 10} s of CPU`);
}

/** Two thousand callers who connect in the same moment, each with a request. */
async function connects(): Promise<void> {
  const many = 2_000;
  console.log(`${many} connections at once, each with GET /me`);
  const bytes = tokens.map(meRequest);
  const answers = new Samples();
  const memory = new MemoryWatch(service);
  let failed = 0;
  const startedAt = performance.now();
  const all = await Promise.all(
    Array.from({ length: many }, async (_, index) => {
      try {
        const connection = await RawConnection.open(origin, `127.0.0.${1 + (index % 8)}`, ({ status }) => {
          answers.add(status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
        });
        connection.send(String(bytes[index % bytes.length]));
        return connection;
      } catch {
        failed += 1;
        return null;
      }
    }),
  );
  for (let waited = 0; waited < 15_000 && answers.count + failed < many; waited += 50) await pause(50);
  show('answered, from the moment all began', answers);
  show('not connected', failed);
  show('without an answer', many - failed - answers.count);
  show('memory', memory.stop());
  for (const connection of all) connection?.socket.destroy();
}

async function hangUps(): Promise<void> {
  const leaving = await tokensOf('somebody who hangs up', 1_000);
  const waves = 30;
  const memory = new MemoryWatch(service);
  const requests = leaving.map(writeRequest);
  for (let wave = 0; wave < waves; wave += 1) {
    const all = await openMany(requests.length, () => RawConnection.open(origin, '127.0.0.1'));
    // The callers have hung up when the service hears of them.
    service.process.kill('SIGSTOP');
    for (const [index, connection] of all.entries()) connection.send(String(requests[index]));
    await pause(20);
    for (const { socket } of all) socket.destroy();
    await pause(20);
    service.process.kill('SIGCONT');
  }
  console.log(`${waves * requests.length} writes of callers who hang up`);
  show('well again after', `${await untilWell(() => postOne(token))} ms`);
  let written = 0;
  for (const each of leaving) {
    const { text } = await new Caller(origin, each, agent).send('GET', '/me/usage');
    written += JSON.parse(text).collections[0].records.used;
  }
  show('written', written);
  show('memory', memory.stop());
}

async function refusals(): Promise<void> {
  for (const connections of [5, 500]) {
    const refusing = await startRefusals(origin, connections);
    console.log(`${connections} connections of pipelined refusals`);
    const memory = new MemoryWatch(service);
    const bearer = [`authorization: Bearer ${token}`];
    const [me, livez] = await Promise.all([
      probe(`${origin}/api/consumer/v1/me`, bearer, 100, seconds),
      probe(`${opsUrl}/livez`, [], 20, seconds),
    ]);
    refusing.stdout?.on('data', (text) => show('answered', String(text).trim()));
    refusing.kill('SIGTERM');
    show('/me of others', me);
    show('/livez', livez);
    show('memory', memory.stop());
  }
}

const parts = {
  writes: () => flood('writes', tokens.map(writeRequest), 201),
  me: () => flood('GET /me', tokens.map(meRequest), 200),
  list: () => flood('lists', tokens.map(listRequest), 200),
  token: () => flood('POST /token', machines.map(tokenRequest), 200),
  streams,
  'hang-up': hangUps,
  refusals,
  connects,
};
try {
  await postOne(token);
  for (const [name, run] of Object.entries(parts)) if (values.part.includes(name)) await run();
} finally {
  agent.destroy();
  await provider.stop();
  await service.stop();
  await stage.close();
}

function showOutcomes(outcomes: Outcomes): void {
  show('sent', `${outcomes.sent}, and ${outcomes.heldBack} were due while no connection was free`);
  show('accepted', outcomes.accepted);
  show('refused (503)', `${outcomes.refused}; ${outcomes.withoutRetryAfter} without Retry-After`);
  const others = [...outcomes.others].map(([status, count]) => `${count} x ${status}`);
  show('other answers', others.join() || 'none');
  show('connections cut off', outcomes.cutOff);
  show('requests without an answer', outcomes.unanswered);
  show('p99 of the own event loop of the load', `${outcomes.ownDelayMs} ms`);
}
