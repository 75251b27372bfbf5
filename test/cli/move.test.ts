import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endOf, failed, succeeded } from '../support/commands/outcome.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { exampleFolder } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { Deployment } from '../support/services/deployment.ts';
import { addClient, fileOf, newSettings, runVestibule, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

it('vestibule move copies everything to PostgreSQL and blocks the SQLite file', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const COLLECTIONS_DIR = exampleFolder('meetup');
  const source = await newSettings('sqlite', { ...provider.settings, COLLECTIONS_DIR });
  await addClient(source, 'machine');
  const before = await startService(source);
  const people = new Deployment(provider, before.settings, [before]);
  const [ada, bob, cat] = [await Person.of(people), await Person.of(people), await Person.of(people)];
  const title = 'ünïcode \u{1f469}';
  const meetup = await ada.make('meetups', { title, starts: '2999-01-01T18:00:00Z', seats: 1 });
  await ada.post(`meetups/${meetup}/publish`);
  await ada.invites(`meetups/${meetup}`, 'helper', cat);
  const registration = await bob.make('registrations', { meetup });
  const seen = async ({ caller }: Person) => {
    const paths = ['me', `meetups/${meetup}`, `registrations?meetup=${meetup}`, 'events?after=0'];
    const replies = await Promise.all(paths.map((path) => caller.get(`/${path}`)));
    return replies.map((reply) => [reply.headers.get('etag'), reply.json()]);
  };
  const all = async () => [await seen(ada), await seen(bob), await seen(cat)];
  const expected = await all();
  await before.stop();

  const url = await createDatabase();
  const { tables } = JSON.parse(succeeded(await runVestibule(source, 'move', '--to', url, '--json'))) as {
    tables: { table: string; rows: number }[];
  };
  const rows = Object.fromEntries(tables.map((one) => [one.table, one.rows]));
  assert.deepEqual([rows.records, rows.consumers, rows.clients], [2, 3, 1]);

  const target = { ...source, DATABASE_URL: url, MASTER_SECRET_FILE: `${fileOf(source)}.secret` };
  const after = await startService(target);
  t.after(() => after.stop());
  for (const one of [ada, bob, cat]) Object.assign(one, { caller: one.caller.at(after) });
  assert.deepEqual(await all(), expected);
  const second = await cat.post('registrations', { meetup });
  assert.equal(second.body.state, 'waiting', 'the seat is still taken');
  assert.equal((await cat.post(`registrations/${registration}/check_in`)).status, 200);
  failed(await endOf(source, ['serve']), /was moved to postgres:.* Set DATABASE_URL to the new database/);
});
