import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { insertAll } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { clockedProcess, databaseEngines } from '../support/services/service.ts';
import type { Page } from './page.ts';

const schema = `schema:
  required: [word]
  properties: { word: { type: string, maxLength: 20 }, text: { type: string, maxLength: 65000 } }
index: [word]
states: { open: { close: closed }, closed: {} }`;
const declarations = {
  small: schema,
  large: `${schema}\nlimits: { bytes: 65000 }`,
  passing: `${schema}\naccess: { clients: any }\nlimits: { expire: 1h }`,
};

/** The largest number of records that a page scans. */
const looked = 2_000;
const pageBytes = 1_048_576;

for (const engine of databaseEngines)
  describe(`cost limits of one list, on ${engine}`, () => {
    const one = deployment({ engine, declarations, settings: clockedProcess });
    /** A person with records that were written long ago, oldest first. */
    const owner = async (collection: string, fields: readonly object[], isLive = (_: number) => false) => {
      const caller = await one().person();
      const { id } = (await caller.get('/me')).json();
      const storage = await plainSql(one().settings).open();
      const records = fields.map((each, index) =>
        newRecord({
          collection,
          owner: String(id),
          state: 'open',
          createdAt: index,
          ...(isLive(index) ? { updatedAt: one().now() } : {}),
          fields: { ...each },
        }),
      );
      await insertAll(storage, records);
      await storage.close();
      return caller;
    };
    const list = async (caller: ApiCaller, path: string): Promise<Page> => {
      const reply = await caller.get(path);
      assert.equal(reply.status, 200, reply.text);
      return reply.json<Page>();
    };

    it('a filter without an index examines a bounded number of records, and the cursor continues there', async () => {
      const words = Array.from({ length: looked + 500 }, (_, index) => ({
        word: index === 3 ? 'this' : 'that',
      }));
      const caller = await owner('small', words);
      const first = await list(caller, '/small?word=this');
      assert.deepEqual(first.items, []);
      const second = await list(caller, `/small?word=this&cursor=${first.next}`);
      assert.deepEqual([second.items.map(({ word }) => word), second.next], [['this'], null]);
      const sorted = await list(caller, '/small?word=this&sort=word');
      assert.deepEqual([sorted.items.length, sorted.next], [1, null], 'an index leads there');
      const closed = await list(caller, '/small?state=closed&sort=created_at');
      assert.deepEqual(closed.items, []);
      assert.equal(
        (await list(caller, `/small?state=closed&sort=created_at&cursor=${closed.next}`)).next,
        null,
      );
      assert.equal((await caller.all('small', '&word=that')).length, looked + 499, 'nothing is left out');
      assert.equal((await caller.all('small', '&state=open&sort=word')).length, looked + 500);
    });

    it('expired records not yet swept are examined in bounded steps, and every page continues', async () => {
      // The sweep runs now, and then not for a minute.
      await one().advance(60_000);
      const words = Array.from({ length: looked + 500 }, () => ({ word: 'that' }));
      const person = await owner('passing', words, (index) => index < 3);
      const machine = await one().machine('desk');
      for (const caller of [person, machine]) {
        for (const query of ['', 'state=open', 'sort=-word', 'word=that&sort=-word']) {
          const first = await list(caller, `/passing?${query}`);
          assert.ok(first.items.length < 3 || query.includes('word'), query);
          assert.notEqual(first.next, null, query);
          assert.equal((await caller.all('passing', `&${query}`)).length, 3, query);
        }
        const second = await list(caller, `/passing?cursor=${(await list(caller, '/passing')).next}`);
        assert.deepEqual([second.items.length, second.next], [3, null]);
      }
    });

    it('50 concurrent lists of large records use little memory', async () => {
      const text = 'x'.repeat(60_000);
      const caller = await owner(
        'large',
        Array.from({ length: 201 }, (_, index) => ({ word: String(index), text })),
      );
      const pid = one().service.process.pid;
      const peakMegabytes = () =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
      await list(caller, '/large?limit=200');
      const before = peakMegabytes();
      const pages = await atOnce(50, () => list(caller, '/large?limit=200'));
      for (const { items, next } of pages) {
        assert.equal(items.length, Math.floor(pageBytes / (text.length + 30)));
        assert.notEqual(next, null);
      }
      const rise = peakMegabytes() - before;
      assert.ok(rise < 220, `${rise.toFixed(0)} MB more than before`);
      assert.equal((await caller.all('large')).length, 201);
    });
  });
