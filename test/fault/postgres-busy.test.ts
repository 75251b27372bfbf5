import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginOutside } from '../support/databases/outsider.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertCode } from '../support/http/code.ts';
import { request } from '../support/http/request.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';

const declarations = {
  notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }\nlimits: { writes: 100000/min }',
};
/** The number of attempts for a batch. */
const maxAttempts = 10;

describe('a busy PostgreSQL', () => {
  const one = deployment({ engine: 'postgres', declarations });
  const url = () => String(one().settings.DATABASE_URL);
  const sql = (text: string) => plainSql(one().settings).query(text);

  for (const state of ['40001', '40P01'])
    it(`[F164] failing with SQLSTATE ${state}: a write is retried, refused, and succeeds afterwards`, async () => {
      const caller = await one().person();
      await caller.make('notes', { text: 'before' });
      // A sequence counts what is rolled back, too.
      await sql('create sequence tries');
      await sql(`create function fail() returns trigger language plpgsql as
        $$ begin perform nextval('tries'); raise exception 'storm' using errcode = '${state}'; end $$`);
      await sql('create trigger storm before insert on records for each row execute function fail()');
      const writes = 5;
      for (let count = 0; count < writes; count += 1) {
        const reply = await caller.send('POST', '/notes', { text: 'during' });
        assertCode(reply, 'storage_unavailable');
        assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
      }
      const [tried] = await sql("select nextval('tries') as count");
      await sql('drop trigger storm on records');
      await sql('drop function fail');
      await sql('drop sequence tries');
      assert.ok(Number(tried?.count) <= writes * maxAttempts + 1, `${tried?.count} tries`);
      await caller.make('notes', { text: 'after' });
      assert.equal((await caller.all('notes')).length, 2);
      assert.equal((await caller.usage('notes')).records.used, 2);
    });

  it('[F164] with a locked table: two hundred reads time out, and other requests are served', async () => {
    const caller = await one().person();
    await caller.make('notes', { text: 'before' });
    const other = await one().person();
    assert.equal((await other.get('/me')).status, 200);
    const outsider = await beginOutside(url());
    await outsider.run('lock table records in access exclusive mode');
    let answered = 0;
    const reads = atOnce(200, async () => {
      const reply = await caller.get('/notes');
      answered += 1;
      return reply;
    });
    try {
      await outsider.untilSomebodyWaits();
      // The reads hold the turns of their caller.
      assert.equal((await other.get('/me')).status, 200);
      assert.equal((await request(`${one().service.opsUrl}/livez`)).status, 200);
      assert.equal(answered, 0, 'control: the reads have waited all along');
      // Long before the outsider ends, which it does only after this.
      for (const reply of await reads) {
        assert.equal(reply.status, 503, reply.text);
        const { code } = reply.json<{ code: string }>();
        assert.ok(['overloaded', 'storage_unavailable'].includes(code), reply.text);
        assert.match(String(reply.headers.get('retry-after')), /^[1-9]\d*$/);
      }
    } finally {
      await outsider.commit();
    }
    assert.equal((await caller.all('notes')).length, 1);
    const [sessions] = await sql(
      "select count(*) as count from pg_stat_activity where application_name = 'vestibule' and datname = current_database()",
    );
    assert.ok(Number(sessions?.count) <= 10, `${sessions?.count} sessions`);
  });
});
