import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endOf, failed, succeeded } from '../support/commands/outcome.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { exampleFolder } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { Deployment } from '../support/services/deployment.ts';
import { addClient, fileOf, newSettings, runVestibule, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

it('vestibule move copies everything to PostgreSQL and blocks the SQLite file', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const source = await newSettings('sqlite', {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder({
      notes: 'schema: { properties: { text: { type: string, maxLength: 20 } } }',
    }),
  });
  await addClient(source, 'machine');
  const before = await startService(source);
  const caller = await new Deployment(provider, before.settings, [before]).person();
  const { record, etag } = await caller.make('notes', { text: 'ünïcode \u{1f469}' });
  const { id: me } = (await caller.get('/me')).json<{ id: string }>();
  await before.stop();

  const url = await createDatabase();
  const { tables } = JSON.parse(succeeded(await runVestibule(source, 'move', '--to', url, '--json'))) as {
    tables: { table: string; rows: number }[];
  };
  const rows = Object.fromEntries(tables.map((one) => [one.table, one.rows]));
  assert.deepEqual([rows.records, rows.consumers, rows.clients], [1, 1, 1]);

  const target = { ...source, DATABASE_URL: url, MASTER_SECRET_FILE: `${fileOf(source)}.secret` };
  const after = await startService(target);
  const same = caller.at(after);
  assert.equal((await same.get('/me')).json<{ id: string }>().id, me);
  const reply = await same.get(`/notes/${record.id}`);
  assert.equal(reply.headers.get('etag'), etag);
  assert.deepEqual(reply.json(), record);
  await after.stop();
  failed(await endOf(source, ['serve']), /was moved to postgres:.* Set DATABASE_URL to the new database/);
});

it('vestibule move keeps members, tallies under parents, and event topics', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const source = await newSettings('sqlite', {
    ...provider.settings,
    COLLECTIONS_DIR: exampleFolder('meetup'),
  });
  const before = await startService(source);
  const people = new Deployment(provider, before.settings, [before]);
  const [ada, bob, cat] = [await Person.of(people), await Person.of(people), await Person.of(people)];
  const meetup = await ada.make('meetups', { title: 'Talk', starts: '2999-01-01T18:00:00Z', seats: 1 });
  await ada.post(`meetups/${meetup}/publish`);
  await ada.invites(`meetups/${meetup}`, 'helper', cat);
  const registration = await bob.make('registrations', { meetup });
  const seen = async (one: Person) => {
    const paths = [`meetups/${meetup}`, `registrations?meetup=${meetup}`, 'events?after=0'];
    return Promise.all(paths.map(async (path) => (await one.get(path)).body));
  };
  const all = async () => [await seen(ada), await seen(bob), await seen(cat)];
  const expected = await all();
  await before.stop();

  const url = await createDatabase();
  succeeded(await runVestibule(source, 'move', '--to', url));
  const after = await startService({
    ...source,
    DATABASE_URL: url,
    MASTER_SECRET_FILE: `${fileOf(source)}.secret`,
  });
  t.after(() => after.stop());
  for (const one of [ada, bob, cat]) Object.assign(one, { caller: one.caller.at(after) });
  assert.deepEqual(await all(), expected);
  assert.equal(
    (await cat.post('registrations', { meetup })).body.state,
    'waiting',
    'the seat is still taken',
  );
  assert.equal((await cat.post(`registrations/${registration}/check_in`)).status, 200);
});
