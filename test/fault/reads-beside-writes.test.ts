import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { maxInBatch } from '../../src/records/rules/operation.ts';
import { maxWaitingOfCaller } from '../../src/records/write-queue.ts';
import { assertCode } from '../support/http/code.ts';
import { openMany, type RawAnswer, RawConnection } from '../support/load/raw-connection.ts';
import { writeRequest } from '../support/load/requests.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines, type Settings } from '../support/services/service.ts';

const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 280 }, stars: { type: integer } } }
limits: { writes: 1000000/day }`,
};

/** Blocks all writes, as a slow commit would; the returned function ends it. */
async function holdWrites({ DATABASE_URL = '' }: Settings): Promise<() => Promise<void>> {
  if (DATABASE_URL.startsWith('sqlite:')) {
    const database = new DatabaseSync(DATABASE_URL.slice('sqlite:'.length));
    database.exec('begin immediate');
    return async () => database.close();
  }
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query('begin');
  await client.query('lock table consumers, records, usage in exclusive mode');
  return () => client.end();
}

for (const engine of databaseEngines) {
  describe(`while all writes are blocked, on ${engine}`, () => {
    const one = deployment({ engine, declarations });

    it('[F157] every read of a known caller is answered', async () => {
      const caller = await one().person();
      const { record, etag } = await caller.make('notes', { text: 'here' });
      const writers = await Promise.all(Array.from({ length: 12 }, () => one().person()));
      const release = await holdWrites(one().settings);
      let made = 0;
      // More than a process has connections to PostgreSQL: writes have their own. A write that has waited for too long is
      // refused with 503, and sent again.
      const writes = Promise.all(
        writers.map(async (writer) => {
          for (;;) {
            const reply = await writer.send('POST', '/notes', { text: 'waits' });
            if (reply.status === 503) continue;
            assert.equal(reply.status, 201, reply.text);
            made += 1;
            return;
          }
        }),
      );
      try {
        for (let count = 0; count < 5; count += 1) {
          assert.equal((await caller.get('/me')).status, 200);
          assert.equal((await caller.get(`/notes/${record.id}`)).status, 200);
          assert.equal((await caller.get(`/notes/${record.id}`, { 'if-none-match': etag })).status, 304);
          assertCode(await caller.get('/notes/00000000-0000-4000-8000-000000000000'), 'not_found');
          assert.equal((await caller.all('notes')).length, 1);
          assert.equal((await caller.usage('notes')).records.used, 1);
          assert.match((await caller.get('/me/export')).text, /"type":"end","records":1\}\n$/);
        }
        assert.equal(made, 0, 'control: nothing was written meanwhile');
      } finally {
        await release();
      }
      await writes;
    });
  });
}

describe('more writes of a caller than the queue holds', () => {
  const one = deployment({ declarations });

  it('[G173] are 503 with Retry-After; the others wait and every 201 is stored', async () => {
    const caller = await one().person();
    await caller.make('notes', {});
    const answers: RawAnswer[] = [];
    const tooMany = 20;
    const all = await openMany(maxInBatch + maxWaitingOfCaller + tooMany, () =>
      RawConnection.open(caller.url, '127.0.0.1', (answer) => void answers.push(answer)),
    );
    const release = await holdWrites(one().settings);
    for (const connection of all) connection.send(writeRequest(caller.token));
    const answered = (count: number) =>
      until(
        () => answers.length,
        (found) => found >= count,
        `${count} are not answered`,
      );
    await answered(tooMany);
    await release();
    await answered(all.length);
    for (const { socket } of all) socket.destroy();
    const refused = answers.filter(({ status }) => status !== 201);
    assert.ok(refused.length >= tooMany, `${refused.length} are refused`);
    for (const { status, head } of refused) {
      assert.equal(status, 503);
      assert.match(head, /\r\nretry-after: [1-9]/i);
    }
    const made = answers.length - refused.length + 1;
    assert.equal((await caller.usage('notes')).records.used, made);
    assert.equal((await caller.all('notes')).length, made);
  });
});
