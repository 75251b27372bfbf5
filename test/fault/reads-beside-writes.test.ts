import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { assertCode } from '../support/code.ts';
import { declaredProcesses } from '../support/declared-processes.ts';
import { databaseEngines, type Settings } from '../support/service.ts';

const declarations = {
  notes: `
schema: { properties: { text: { type: string, maxLength: 280 } } }
limits: { writes: 1000000/day }`,
};

/** Keeps everybody from writing, as a commit that takes long would; the returned function ends it. */
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
  describe(`while nobody can write, on ${engine}`, () => {
    const one = declaredProcesses(engine, 1, declarations);

    it('[F157] every read of somebody who is known is answered while writes wait', async () => {
      const caller = await one().person();
      const { record, etag } = await caller.make('notes', { text: 'here' });
      const writers = await Promise.all(Array.from({ length: 12 }, () => one().person()));
      const release = await holdWrites(one().processes.settings);
      let answered = 0;
      // More than a process has connections to PostgreSQL: writes have their own.
      const writes = Promise.all(
        writers.map(async (writer) => {
          const reply = await writer.send('POST', '/notes', { text: 'waits' });
          answered += 1;
          return reply;
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
        assert.equal(answered, 0, 'control: the writes have waited all along');
      } finally {
        await release();
      }
      for (const reply of await writes) assert.equal(reply.status, 201, reply.text);
    });
  });
}
