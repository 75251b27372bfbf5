import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { send } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { fileOf, runVestibule, type Service } from '../support/services/service.ts';
import { childrenOf } from '../support/services/supervised.ts';

const desks = `title: Desks
schema: { properties: { text: { type: string, maxLength: 100 } } }
states: { free: { take: { to: taken, by: owner } }, taken: {} }`;

/** The part of the data that the tests check. */
interface ConsoleData {
  readonly health: { readonly status: string; readonly checks: Record<string, string> };
  readonly traffic: {
    readonly by_status: readonly { name: string; hour: number }[];
    readonly by_refusal: readonly { name: string; hour: number }[];
  };
  readonly collections: readonly {
    readonly name: string;
    readonly states: readonly { state: string | null; records: number; bytes: number }[] | null;
    readonly writes_last_hour: number;
  }[];
  readonly providers: readonly { readonly name: string; readonly usable: boolean }[];
  readonly database: {
    readonly value: {
      readonly bytes: number;
      readonly last_backup: { readonly bytes: number } | null;
      readonly clients: readonly object[];
      readonly events: object;
    };
  };
  readonly machine: {
    readonly processes: readonly { readonly process: number; readonly answers: boolean }[];
    readonly wanted: number;
    readonly ended: number;
  };
  readonly alerts: readonly {
    readonly name: string;
    readonly state: string;
    readonly advice: string | null;
  }[];
  readonly settings: readonly { readonly name: string; readonly value: string | null }[];
}

async function dataOf({ opsUrl }: Service): Promise<ConsoleData> {
  const reply = await send(`${opsUrl}/console/data`);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text);
}

/** Polls the data until the condition holds. */
function sees(service: Service, what: string, isSo: (data: ConsoleData) => boolean): Promise<ConsoleData> {
  return until(() => dataOf(service), isSo, what);
}

describe('console data', () => {
  const running = deployment({
    settings: { COLLECTIONS_DIR: declarationsFolder({ desks }) },
    clients: { billing: [] },
  });

  it('counts requests, refusals, writes and the records of each collection by state', async () => {
    const { service, provider } = running();
    const caller = new ApiCaller(service.url, await provider.token());
    const { record } = await caller.make('desks', { text: 'one' });
    await caller.make('desks', { text: 'two' });
    assert.equal((await caller.send('POST', `/desks/${record.id}/take`)).status, 200);
    assert.equal((await new ApiCaller(service.url, 'x').get('/me')).status, 403);
    const { collections, traffic } = await sees(
      service,
      'records and writes are not counted',
      (data) => data.collections[0]?.states?.length === 2 && data.collections[0].writes_last_hour === 3,
    );
    const [counted] = collections;
    assert.deepEqual(counted?.states?.map(({ state, records }) => [state, records]).toSorted(), [
      ['free', 1],
      ['taken', 1],
    ]);
    assert.ok(counted?.states?.every(({ bytes }) => bytes > 0 && bytes < 100));
    const byStatus = new Map(traffic.by_status.map(({ name, hour }) => [name, hour]));
    assert.deepEqual([byStatus.get('201'), byStatus.get('403')], [2, 1]);
    const refusals = traffic.by_refusal.map(({ name, hour }) => [name, hour]);
    assert.deepEqual(refusals, [['token_malformed', 1]]);
  });

  it('shows the health of provider and database, and every alert with advice', async () => {
    const data = await sees(running().service, 'it is not ready', ({ health }) => health.status === 'ready');
    const usable = data.providers.map(({ name, usable }) => [name, usable]);
    assert.deepEqual(usable, [['provider', true]]);
    assert.ok(data.database.value.bytes > 0 && data.database.value.clients.length === 1);
    const firing = data.alerts.filter(({ state }) => state === 'firing');
    assert.deepEqual(firing, []);
    assert.ok(data.alerts.length > 20 && data.alerts.every(({ advice }) => advice !== null));
  });

  it('lists the settings in force', async () => {
    const { settings } = await dataOf(running().service);
    const byName = new Map(settings.map(({ name, value }) => [name, value]));
    assert.equal(byName.get('API_AUDIENCE'), running().service.settings.API_AUDIENCE);
    assert.equal(byName.get('CONSOLE'), 'on');
  });

  it('shows for a pseudonym what "consumer show" prints', async () => {
    const { service, provider } = running();
    const { id } = (await new ApiCaller(service.url, await provider.token()).get('/me')).json();
    const shown = await send(`${service.opsUrl}/console/consumers/${id}`);
    const printed = succeeded(await runVestibule(service.settings, 'consumer', 'show', String(id), '--json'));
    assert.deepEqual(JSON.parse(shown.text), JSON.parse(printed));
    assert.equal((await send(`${service.opsUrl}/console/consumers/usr_nobody`)).status, 404);
  });

  it('shows the last backup', async () => {
    const { service } = running();
    assert.equal((await dataOf(service)).database.value.last_backup, null);
    const { bytes } = JSON.parse(
      succeeded(await runVestibule(service.settings, 'backup', `${newDirectory()}/copy.db`, '--json')),
    );
    await sees(service, 'it is not noted', ({ database }) => database.value.last_backup?.bytes === bytes);
  });

  it('reports that a locked database takes no writes, and recovers', async () => {
    const { service } = running();
    const outsider = await beginOutside(fileOf(service.settings));
    await sees(service, 'it is not noticed', ({ health }) => health.checks.database === 'takes no writes');
    await outsider.commit();
    await sees(service, 'it stays', ({ health }) => health.checks.database === 'ok');
  });
});

describe('console with CONSOLE=off', () => {
  const running = deployment({ settings: { CONSOLE: 'off' } });

  it('the console answers 404, while health and metrics answer 200', async () => {
    const { opsUrl } = running().service;
    const statuses = ['/', '/console/data', '/console/consumers/usr_x', '/livez', '/metrics'].map(
      async (path) => (await send(opsUrl + path)).status,
    );
    assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 200, 200]);
  });
});

describe('console of several processes', () => {
  const running = deployment({ settings: { TEST_SERVE_OPTIONS: '--processes 2' } });

  it('lists every process, and counts and replaces a killed one', async () => {
    const { service } = running();
    const both = await sees(
      service,
      'there are not two',
      ({ machine, health }) => machine.processes.length === 2 && health.status === 'ready',
    );
    assert.deepEqual(
      both.machine.processes.map(({ process, answers }) => [process, answers]),
      [
        [1, true],
        [2, true],
      ],
    );
    assert.equal(both.machine.wanted, 2);
    process.kill(childrenOf(service)[0] as number, 'SIGKILL');
    await sees(service, 'its end is not counted', ({ machine }) => machine.ended === 1);
    await sees(service, 'it is not replaced', ({ machine }) => machine.processes.length === 2);
  });

  it('adds up the requests of all processes, and looks up callers', async () => {
    const { service } = running();
    for (let count = 0; count < 6; count += 1)
      await send(`${service.url}/.well-known/jwks.json`, { headers: { connection: 'close' } });
    await sees(service, 'not all are counted', ({ traffic }) =>
      traffic.by_status.some(({ name, hour }) => name === '200' && hour === 6),
    );
    assert.equal((await send(`${service.opsUrl}/console/consumers/usr_nobody`)).status, 404);
  });
});
