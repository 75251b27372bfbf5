import { parseArgs } from 'node:util';
import { Caller, newAgent } from '../chaos/caller.ts';
import { openStage } from '../chaos/stage.ts';
import { declarationsFolder } from '../support/declared-processes.ts';
import { concurrently } from '../support/flood.ts';
import { TestProvider } from '../support/provider.ts';
import { databaseEngines, newSettings } from '../support/service.ts';
import { startBare } from './bare-server.ts';
import { cpuSeconds, MemoryWatch, pinLoad, startPinned } from './pinned-service.ts';
import { probe, untilWell } from './probe.ts';
import { startRefusals } from './refusals.ts';
import { capacity, hangUp, type Outcomes, overload } from './writes.ts';

/**
 * `npm run overload -- --database sqlite|postgres [--part writes|hang-up|refusals]`: many times the writes that the service can take, callers who hang
 * up, and connections that are refused again and again; how it goes with everybody else meanwhile. It prints figures
 * and judges nothing, because a busy machine would be judged with it.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '10' },
    times: { type: 'string', default: '10' },
    part: { type: 'string', multiple: true, default: ['writes', 'hang-up', 'refusals'] },
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

async function writes(): Promise<void> {
  await capacity({ origin, tokens, seconds: 3 }, 64);
  const most = await capacity({ origin, tokens, seconds }, 256);
  const perSecond = Math.round(most.perSecond);
  console.log(`${database}: ${perSecond} writes a second over 256 connections`);
  show('accepted', most.outcomes.accepted);

  const flood = perSecond * Number(values.times);
  for (const { name, connections, pipelined } of [
    { name: 'one at a time', connections: 4_000, pipelined: 1 },
    { name: 'pipelined', connections: 250, pipelined: 32 },
  ]) {
    console.log(`${flood} writes a second, ${name}, over ${connections} connections`);
    const memory = new MemoryWatch(service);
    const before = cpuSeconds(service);
    const outcomes = await overload(
      { origin, tokens, seconds },
      { perSecond: flood, connections, pipelined },
    );
    show('well again after', `${await untilWell(() => postOne(token))} ms`);
    showOutcomes(outcomes);
    show('memory', memory.stop());
    show('the core of the service', `${Math.round((cpuSeconds(service) - before) * 10) / 10} s of CPU`);
    const bare = await startBare();
    const floor = await overload(
      { origin: bare.origin, tokens, seconds },
      { perSecond: flood, connections, pipelined },
    );
    bare.process.kill();
    show('refused (503) by a bare server on that core', floor.refused);
  }
}

async function hangUps(): Promise<void> {
  const leaving = await tokensOf('somebody who hangs up', 1_000);
  const waves = 30;
  const memory = new MemoryWatch(service);
  const sent = await hangUp({ origin, tokens: leaving, seconds }, service, waves);
  console.log(`${sent} writes of callers who hang up`);
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

const parts = { writes, 'hang-up': hangUps, refusals };
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
  show(
    'other answers',
    [...outcomes.others].map(([status, count]) => `${count} x ${status}`).join() || 'none',
  );
  show('connections cut off', outcomes.cutOff);
  show('requests without an answer', outcomes.unanswered);
  show('p99 of the own event loop of the load', `${outcomes.ownDelayMs} ms`);
}
