import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atOnce, DeclaredProcesses, declarationsFolder } from '../support/declared-processes.ts';
import { succeeded } from '../support/outcome.ts';
import { until } from '../support/polling.ts';
import { createDatabase, direct, pooled } from '../support/postgres.ts';
import { Processes } from '../support/processes.ts';
import { request } from '../support/request.ts';
import { quickSigning, runVestibule, type Service, type Settings } from '../support/service.ts';
import { assertShutOutInTime } from '../support/shut-out.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

interface Readiness {
  readonly status: string;
  readonly changes: { readonly heard_by: string; readonly because?: string };
}

const readinessOf = async ({ opsUrl }: Service) => (await request(`${opsUrl}/readyz`)).json<Readiness>();
const isNotified = async (service: Service) =>
  /^vestibule_change_notifications 1$/m.test(await service.metrics());
const warnings = (service: Service) =>
  service
    .logLines()
    .filter(({ level }) => Number(level) >= 40)
    .map(({ msg }) => String(msg));

/** Two processes whose way to PostgreSQL leads through PgBouncer. */
function behindPooler(overrides: (past: string) => Settings): () => DeclaredProcesses {
  let two: DeclaredProcesses | undefined;
  before(async () => {
    const past = await direct(await createDatabase());
    const processes = await Processes.start('postgres', 2, {
      ...quickSigning,
      DATABASE_URL: await pooled(past),
      COLLECTIONS_DIR: declarationsFolder(declarations),
      READS_PER_MINUTE: '100000',
      ...overrides(past),
    });
    two = new DeclaredProcesses(processes);
  });
  after(() => two?.processes.stop());
  return () => two ?? assert.fail();
}

describe('behind a PgBouncer in transaction mode, with five sessions', () => {
  const two = behindPooler(() => ({}));

  it('serves callers, records and tokens at both processes', async () => {
    const caller = await two().person();
    const other = caller.at(two().service(1));
    const { record } = await caller.make('notes', { text: 'first' });
    assert.equal((await other.get(`/notes/${record.id}`)).status, 200);
    assert.equal((await other.send('DELETE', `/notes/${record.id}`)).status, 204);
    assert.equal((await caller.get(`/notes/${record.id}`)).status, 404);
    assert.equal((await caller.get('/me')).status, 200);
    assert.equal((await other.get('/events')).status, 200);
    const client = await two().processes.addClient('machine');
    for (const token of await two().processes.tokens(client)) await two().processes.letIn([token]);
  });

  it('loses and doubles nothing of many writes and reads at once', async () => {
    const people = await atOnce(20, () => two().person());
    await atOnce(20, async (index) => {
      const person = (people[index] ?? assert.fail()).at(two().service(index));
      for (let count = 0; count < 10; count += 1) {
        const { record } = await person.make('notes', { text: `${count}` });
        assert.equal((await person.get(`/notes/${record.id}`)).status, 200);
      }
    });
    for (const person of people) {
      const texts = (await person.all('notes')).map(({ text }) => text);
      assert.equal(new Set(texts).size, 10);
      assert.equal(texts.length, 10);
    }
  });

  it('shuts out whom the operator shuts out, at both and within a second', () =>
    assertShutOutInTime(two().processes));

  it('says which of its ways are in force: to the log once, to /readyz, as a metric and by doctor', async () => {
    for (const service of two().services) {
      await until(
        () => readinessOf(service),
        ({ changes }) => /do not arrive/.test(changes.because ?? ''),
        'nobody has noticed that no notification arrives',
      );
      const { status, changes } = await readinessOf(service);
      assert.deepEqual([status, changes.heard_by], ['ready', 'look']);
      assert.equal(await isNotified(service), false);
      const said = warnings(service);
      assert.equal(
        said.filter((line) => /notifications do not arrive/.test(line)).length,
        1,
        said.join('\n'),
      );
      const lost = said.filter((line) => /does not know statements by name/.test(line)).length;
      // A PgBouncer from 1.21 on may keep track of them.
      assert.ok(lost <= 1, said.join('\n'));
      assert.equal(said.length, 1 + lost, said.join('\n'));
    }
    const { stdout } = await runVestibule(two().processes.settings, 'doctor');
    assert.match(stdout, /^WARN {2}notifications .*do not arrive.*DATABASE_LISTEN_URL/m);
  });
});

describe('behind a PgBouncer, with a connection that leads to PostgreSQL itself', () => {
  const two = behindPooler((past) => ({ DATABASE_LISTEN_URL: past }));

  it('hears of changes by notifications, and says so', async () => {
    for (const service of two().services) {
      await until(
        () => readinessOf(service),
        ({ changes }) => changes.heard_by === 'notification',
        'no notification arrives',
      );
      assert.equal(await isNotified(service), true);
      assert.deepEqual(
        warnings(service).filter((line) => /notifications/.test(line)),
        [],
      );
    }
    const findings = succeeded(await runVestibule(two().processes.settings, 'doctor'));
    assert.match(findings, /^pass {2}notifications .*DATABASE_LISTEN_URL/m);
    await assertShutOutInTime(two().processes);
  });
});
