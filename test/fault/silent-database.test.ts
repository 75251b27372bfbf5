import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCode } from '../support/code.ts';
import { DeclaredProcesses, declarationsFolder } from '../support/declared-processes.ts';
import { createDatabase } from '../support/postgres.ts';
import { Processes } from '../support/processes.ts';
import { Relay } from '../support/relay.ts';
import { surroundings } from '../support/surroundings.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

/** A firewall that forgets its connections, or a machine that is gone: no connection is refused, and none is ended. */
describe('a PostgreSQL that says nothing any more', () => {
  let relay: Relay;
  let one: DeclaredProcesses;
  before(async () => {
    const url = new URL(await createDatabase(surroundings().postgresUrl));
    relay = await Relay.start(new URL(url));
    url.port = String(relay.port);
    const COLLECTIONS_DIR = declarationsFolder(declarations);
    one = new DeclaredProcesses(
      await Processes.start('postgres', 1, { DATABASE_URL: url.href, COLLECTIONS_DIR }),
    );
  });
  after(async () => {
    await one.processes.stop();
    await relay.stop();
  });

  it('is told to whoever needs it, keeps nobody else waiting, and is used again as soon as it answers', async () => {
    const caller = await one.person();
    const { record } = await caller.make('notes', { text: 'before' });
    // Whoever was seen here is known without asking.
    assert.equal((await caller.get('/me')).status, 200);
    relay.fallSilent();
    const needsIt = Promise.all([
      caller.send('POST', '/notes', { text: 'never' }),
      caller.get(`/notes/${record.id}`),
      caller.get('/notes'),
    ]);
    assert.equal((await caller.get('/me')).status, 200);
    for (const reply of await needsIt) {
      assertCode(reply, 'storage_unavailable');
      assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
    }
    relay.speak();
    await caller.make('notes', { text: 'after' });
    const texts = (await caller.all('notes')).map(({ text }) => text);
    assert.deepEqual(texts.toSorted(), ['after', 'before']);
  });
});
