import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { runVestibule, someEngine } from '../support/services/service.ts';
import type { Claims } from '../support/tokens/provider.ts';

const nobody = `usr_${'x'.repeat(43)}`;

for (const engine of someEngine) {
  describe(`vestibule consumer on ${engine}`, () => {
    let caller: Awaited<ReturnType<typeof somebody>>;
    const running = deployment({ engine, declarations: 'collections' });
    /** A new caller, and what `/me` shows of it. */
    const somebody = async (claims: Claims = {}) => {
      const person = await running().person(claims);
      const { id, registered_at } = (await person.get('/me')).json<Record<'id' | 'registered_at', string>>();
      return { person, id, registered_at };
    };
    before(async () => {
      caller = await somebody();
    });
    const consumer = (...parameters: string[]) => runVestibule(running().settings, 'consumer', ...parameters);
    const shown = async () => JSON.parse(succeeded(await consumer('show', caller.id, '--json')));

    it('show prints the four stored fields of a caller without records', async () => {
      const row = { id: caller.id, kind: 'user', state: 'active', registered_at: caller.registered_at };
      assert.deepEqual(await shown(), { ...row, signed_out_at: null, session_ended_at: null, records: [] });
      const [columns] = await plainSql(running().settings).query(
        `select * from consumers where id = '${caller.id}'`,
      );
      const names = Object.keys(columns ?? {}).sort();
      assert.deepEqual(names, Object.keys(row).sort(), 'there is no more to show');
      const [head, line] = succeeded(await consumer('show', caller.id)).split('\n');
      assert.match(String(head), /^ID +KIND +STATE +REGISTERED$/);
      assert.deepEqual(String(line).split(/ +/), Object.values(row));
    });

    it('suspend and resume change the state and print it', async () => {
      assert.equal(succeeded(await consumer('suspend', caller.id)), `Caller "${caller.id}" is suspended.\n`);
      assert.equal((await shown()).state, 'suspended');
      const resumed = succeeded(await consumer('resume', caller.id, '--json'));
      assert.deepEqual(JSON.parse(resumed), { id: caller.id, state: 'active' });
      assert.equal((await shown()).state, 'active');
    });

    it('sign-out revokes tokens of a provider whose clock is ahead', async () => {
      const now = Math.floor(Date.now() / 1000);
      const { person, id } = await somebody({ iat: now + 4 });
      succeeded(await consumer('sign-out', id));
      const reply = await until(
        () => person.get('/me'),
        ({ status }) => status !== 200,
        'a token that was there before is let in',
      );
      assertRefused(reply, 'token_revoked', person.token);
    });

    it('sign-out prints the time, and show repeats it', async () => {
      const { id } = await somebody();
      const said = succeeded(await consumer('sign-out', id));
      assert.match(said, /^Caller "usr_.{43}" is signed out: tokens issued up to \S+Z are refused\.\n$/);
      const { signed_out_at: at } = JSON.parse(succeeded(await consumer('show', id, '--json')));
      assert.ok(said.includes(at));
      assert.match(succeeded(await consumer('show', id)), new RegExp(`\\n\\nTokens issued up to ${at} are`));
      refused(await consumer('sign-out', nobody), /There is no caller/);
    });

    it('top lists the callers with the most records, and show counts them per collection', async () => {
      const { person, id } = await somebody();
      for (const text of ['one', 'two']) await person.make('notes', { text });
      assert.deepEqual(JSON.parse(succeeded(await consumer('show', id, '--json'))).records, [
        { collection: 'notes', count: 2 },
      ]);
      assert.match(succeeded(await consumer('show', id)), /COLLECTION +RECORDS\nnotes +2/);
      const [first] = JSON.parse(succeeded(await consumer('top', '--json')));
      assert.deepEqual({ ...first, bytes: first.bytes > 0 }, { id, records: 2, bytes: true });
      assert.match(succeeded(await consumer('top', '--limit', '1')), new RegExp(`^ID .*\n${id} +2 `));
      exits(2, await consumer('top', '--limit', '0'), /whole number from 1 to 9999/);
    });

    it('of-record finds the owner, prints the next commands, and writes an audit entry', async () => {
      const { person, id, registered_at } = await somebody();
      const { id: record } = (await person.make('notes', { text: 'something unwanted' })).record;
      const found = { collection: 'notes', record, id, kind: 'user', state: 'active', registered_at };
      assert.deepEqual(JSON.parse(succeeded(await consumer('of-record', 'notes', record, '--json'))), found);
      const [, line, , ...next] = succeeded(await consumer('of-record', 'notes', record))
        .trim()
        .split('\n');
      assert.deepEqual(String(line).split(/ +/), [id, 'user', 'active', registered_at]);
      assert.deepEqual(next, [`npx vestibule consumer show ${id}`, `npx vestibule consumer suspend ${id}`]);

      succeeded(await consumer('suspend', id));
      const ask = () => person.get('/me');
      await until(ask, ({ status }) => status === 403, 'it is not refused');
      assert.match(succeeded(await consumer('of-record', 'notes', record)), /consumer resume usr_/);

      const asked = await running().audited('consumer.looked_up');
      assert.equal(asked.length, 3);
      const expected = { actor: 'consumer of-record', subject: `notes/${record}`, details: {} };
      assert.partialDeepStrictEqual(asked[0], expected);
    });

    it('of-record refuses an unknown record, and writes no audit entry', async () => {
      const asked = () => running().command('audit', '--json');
      const before = await asked();
      const record = '01900000-0000-7000-8000-000000000000';
      for (const parameters of [
        ['notes', record],
        ['nothing', record],
        ['notes', "' or ''='"],
      ])
        refused(await consumer('of-record', ...parameters), /There is no record ".*" in the collection/);
      assert.equal(await asked(), before);
      assert.equal((await consumer('of-record', 'notes')).code, 2);
    });

    it('erase needs --yes, and removes the caller, also from the audit', async () => {
      const { person, id } = await somebody();
      await person.make('notes', { text: 'gone soon' });
      refused(await consumer('erase', id), /--yes/);
      assert.equal(JSON.parse(succeeded(await consumer('show', id, '--json'))).id, id);
      const receipt = JSON.parse(succeeded(await consumer('erase', id, '--yes', '--json')));
      assert.deepEqual(receipt, { id, records: { notes: 1 }, total: 1, idempotency_keys: 0 });
      refused(await consumer('show', id), /There is no caller/);
      refused(await consumer('erase', id, '--yes'), /There is no caller/);
      const lines = await running().command('audit', '--json');
      assert.match(lines, /consumer\.erased/);
      assert.ok(!lines.includes(id), 'the audit does not keep the name either');
    });

    it('suspend and resume are idempotent', async () => {
      for (const command of ['suspend', 'suspend', 'resume', 'resume'])
        succeeded(await consumer(command, caller.id, '--json'));
      assert.deepEqual((await shown()).state, 'active');
    });

    for (const command of ['show', 'suspend', 'resume']) {
      it(`${command} of an unknown caller is refused and says where the pseudonym is shown`, async () => {
        const says =
          /There is no caller ".*"\. Use the pseudonym of the caller: the "id" in its answer of GET \/api\/consumer\/v1\/me, for example/;
        for (const id of [nobody, caller.id.toUpperCase(), "' or ''='"])
          refused(await consumer(command, id), says);
        assert.equal((await shown()).state, 'active', 'nobody else is meant');
      });

      it(`${command} without an id is wrong usage (exit code 2)`, async () => {
        exits(2, await consumer(command), /missing required argument 'id'/);
      });
    }
  });
}
