import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createDatabase } from '../support/databases/postgres.ts';
import { Relay } from '../support/faults/relay.ts';
import { assertCode } from '../support/http/code.ts';
import { Deployment } from '../support/services/deployment.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };

/** A process behind a relay to PostgreSQL that can stop forwarding. */
async function startBehindRelay(t: TestContext) {
  const url = new URL(await createDatabase());
  const relay = await Relay.start(new URL(url));
  t.after(() => relay.stop());
  url.host = `127.0.0.1:${relay.port}`;
  const settings = { DATABASE_URL: url.href };
  const one = await Deployment.start({ engine: 'postgres', declarations, settings });
  t.after(() => one.stop());
  const caller = await one.person();
  const { record } = await caller.make('notes', { text: 'before' });
  return { relay, one, caller, record };
}

/** Like a firewall that forgets its connections: none is refused, and none is closed. */
describe('a PostgreSQL that stops answering', () => {
  it('[F162] dependent requests get 503, others are served, and it is used again once it answers', async (t) => {
    const { relay, one, caller, record } = await startBehindRelay(t);
    const other = await one.person();
    // A caller that was seen by this process needs no query.
    assert.equal((await other.get('/me')).status, 200);
    relay.fallSilent();
    let answered = 0;
    const needIt = [
      caller.send('POST', '/notes', { text: 'never' }),
      caller.get(`/notes/${record.id}`),
      caller.get('/notes'),
    ].map(async (asked) => {
      const reply = await asked;
      answered += 1;
      return reply;
    });
    assert.equal((await other.get('/me')).status, 200);
    assert.equal(answered, 0, 'control: the others have waited all along');
    for (const reply of await Promise.all(needIt)) {
      assertCode(reply, 'storage_unavailable');
      assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
    }
    relay.speak();
    await caller.make('notes', { text: 'after' });
    const texts = (await caller.all('notes')).map(({ text }) => text);
    assert.deepEqual(texts.toSorted(), ['after', 'before']);
  });

  it('[F160] does not prevent the process from stopping', async (t) => {
    const { relay, one } = await startBehindRelay(t);
    relay.fallSilent();
    await one.service.stop();
  });
});
