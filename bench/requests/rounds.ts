import { join } from 'node:path';
import { type Database, databases } from '../shared/database.ts';
import { measureInTurn, medianRate, type Rate, ratio, type Slice } from '../shared/in-turn.ts';
import { send, writeRequests } from '../shared/load.ts';
import { percent, shown, table } from '../shared/markdown.ts';
import { cpuBetween, cpuOfEach, startPostgresServer } from '../shared/postgres.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { takeSample } from '../shared/sample.ts';
import type { Stage } from '../shared/stage.ts';
import { middle } from '../shared/statistics.ts';
import { signTokens } from '../shared/tokens.ts';
import { kinds } from './data.ts';
import { type RequestsStage, type Service, startService } from './service.ts';

/** Each waits for one answer at a time, so that it is the cost of a quiet request. */
const callers = 8;
const ours = join(import.meta.dirname, '../..');

type Which = 'now' | 'before';
interface Row {
  readonly database: Database;
  readonly kind: string;
  readonly slices: readonly Slice<Which>[];
}

/** Measures the CPU of each kind of request, the database's included, beside another checkout (`--before`). */
export async function measureRequests(shared: Stage): Promise<string> {
  const { before, only, repeat, seconds } = shared.options;
  if (before === null) throw new Error('--requests needs --before and the folder of another checkout.');
  const postgres = await startPostgresServer(shared.folder);
  const stage = { ...shared, postgres, tokens: await signTokens(shared.provider, callers) };
  const names = Object.keys(kinds).filter((kind) => only?.includes(kind) ?? true);
  const rows: Row[] = [];
  try {
    for (const database of databases) {
      await using running = new AsyncDisposableStack();
      const start = async (checkout: string) => {
        const service = await startService(checkout, database, stage);
        running.defer(() => service.server.stop());
        return service;
      };
      const services = { now: await start(ours), before: await start(before) };
      for (const kind of names) {
        const slices = await measureKind(kind, services, database, stage);
        rows.push({ database, kind, slices });
        shared.say(
          `${database.padEnd(10)}${kind.padEnd(28)}${ratio(slices, 'before', 'now').byCpu.toFixed(3)}`,
        );
      }
    }
    writeFigures('requests', stage, { rounds: repeat, seconds, callers }, { rows });
    const how = `; ${callers} connections; the server on one core, the load and PostgreSQL on another`;
    return writeTables('requests', stage, [tableOf(rows)], how);
  } finally {
    await postgres.stop();
  }
}

async function measureKind(
  kind: string,
  services: Readonly<Record<Which, Service>>,
  database: Database,
  stage: RequestsStage,
): Promise<readonly Slice<Which>[]> {
  const { repeat, seconds } = stage.options;
  const asking = ({ server, origin, folder, callers: owned }: Service) => {
    const request = kinds[kind] as NonNullable<(typeof kinds)[string]>;
    const requests = writeRequests(join(folder, 'requests.txt'), owned.map(request));
    const headers = { 'content-type': 'application/json' };
    const load = { origin, requests, headers, connections: callers };
    return async (forSeconds: number): Promise<Rate> => {
      const pids = database === 'postgres' ? stage.postgres.pids() : [];
      const spentBefore = cpuOfEach(pids);
      const sample = await takeSample(server.pid, () =>
        send(stage.generator, { ...load, seconds: forSeconds }),
      );
      const ofDatabase = (cpuBetween(spentBefore, cpuOfEach(pids)) * 1e6) / sample.requests;
      const { requestsPerSecond: perSecond, cpuMicroseconds } = sample;
      return { perSecond, cpuMicroseconds: cpuMicroseconds + ofDatabase };
    };
  };
  const [now, before] = [asking(services.now), asking(services.before)];
  for (const ask of [now, before]) await ask(2);
  return measureInTurn({ now: () => now(1), before: () => before(1) }, repeat * seconds);
}

function tableOf(rows: readonly Row[]): string {
  return table(
    '**CPU of a request, beside the other checkout** (above 1: it takes more)',
    ['CPU µs', 'before', 'ratio', 'its spread'],
    rows.map(({ database, kind, slices }) => {
      const of = (which: Which) => shown(medianRate(slices, which).cpuMicroseconds);
      const ratios = slices.map(({ now, before }) => now.cpuMicroseconds / before.cpuMicroseconds);
      const { value, spread } = middle(ratios);
      return [`${database}, ${kind}`, of('now'), of('before'), value.toFixed(2), percent(spread)];
    }),
  );
}
