import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { ApiCaller } from '../support/api-caller.ts';
import { canaryClaims } from '../support/canaries.ts';
import { failed, newDirectory, type Outcome, refused, succeeded } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { until } from '../support/polling.ts';
import { TestProvider } from '../support/provider.ts';
import {
  databaseEngines,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/service.ts';

/** What the search of the whole run looks for: if a subject were kept anywhere, it would be found there. */
const planted = { old: canaryClaims.sub, new: canaryClaims.email };

interface Me {
  readonly id: string;
  readonly registered_at: string;
}

for (const engine of databaseEngines) {
  describe(`vestibule consumer migrate on ${engine}`, () => {
    const folder = newDirectory();
    let former: TestProvider;
    let current: TestProvider;
    let settings: Settings;
    let service: Service;
    const outputs: Outcome[] = [];
    before(async () => {
      [former, current] = [await TestProvider.start(), await TestProvider.start()];
      const file = `${folder}/providers.yaml`;
      writeFileSync(
        file,
        `- { name: former, origin: "${former.origin}", issuer: "${former.origin}", jwks_path: /jwks }
- { name: current, origin: "${current.origin}", issuer: "${current.origin}", jwks_path: /jwks }
- { name: both, origin: "http://127.0.0.1:1" }
`,
      );
      settings = await newSettings(engine, { IDPS_FILE: file, COLLECTIONS_DIR: 'collections' });
      service = await startService(settings);
    });
    after(async () => {
      await service.stop();
      await former.stop();
      await current.stop();
      // The operator's own, and as the command says: to be deleted.
      rmSync(folder, { recursive: true });
    });

    const callerAt = async (provider: TestProvider, sub: string) =>
      new ApiCaller(service.url, await provider.token({ sub }));
    const meOf = async (caller: ApiCaller) => (await caller.get('/me')).json<Me>();

    async function migrate(lines: readonly (object | string)[], ...more: string[]): Promise<Outcome> {
      const mapping = `${folder}/mapping.jsonl`;
      const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
      writeFileSync(mapping, text.join('\n'));
      const parameters = ['--from', 'former', '--to', 'current', '--mapping', mapping, ...more];
      const outcome = await runVestibule(settings, 'consumer', 'migrate', ...parameters);
      outputs.push(outcome);
      return outcome;
    }
    /** It is said that tokens of the provider before are still taken, which is so here. */
    const done = ({ code, stdout, stderr }: Outcome) => {
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^Tokens of "http[^"]+" are still taken: [^\n]+\n$/);
      return stdout;
    };
    const said = ({ stderr, ...outcome }: Outcome) => ({
      ...outcome,
      stderr: stderr.replace(/^Tokens of .*\n/, ''),
    });

    it('says what would be done, does it, and does not do it twice', async () => {
      const before = await callerAt(former, planted.old);
      const { record } = await before.make('notes', { text: 'mine' });
      const { id: formerId, registered_at } = await meOf(before);
      const now = await callerAt(current, planted.new);
      // It has been here, so that the process has it in memory.
      const { id } = await meOf(now);
      assert.notEqual(id, formerId);

      const lines = [planted, { old: 'nobody', new: 'nobody either' }];
      const expected = 'were migrated before, and of 1 nothing is kept.';
      assert.equal(
        done(await migrate(lines, '--dry-run')),
        `1 callers would be migrated; 0 ${expected} Nothing was changed.\n`,
      );
      assert.deepEqual(await now.all('notes'), []);
      assert.equal(
        done(await migrate(lines)),
        `1 callers are migrated, with 1 records; 0 ${expected} The mapping names people: delete it.\n`,
      );
      const after = await until(
        () => meOf(now),
        (me) => me.registered_at === registered_at,
        'the process has not heard of it',
        1_000,
      );
      assert.equal(after.id, id);
      assert.deepEqual(
        (await now.all('notes')).map((one) => one.id),
        [record.id],
      );
      assert.deepEqual(JSON.parse(done(await migrate(lines, '--json'))), {
        dry_run: false,
        migrated: 0,
        already_migrated: 1,
        unknown: 1,
        taken: 0,
        records: 0,
        taken_lines: [],
      });
    });

    it('refuses all of it where somebody has data already, and says which lines', async () => {
      await (await callerAt(former, 'free')).make('notes', { text: 'free' });
      for (const sub of ['busy', 'busier']) {
        await (await callerAt(former, sub)).make('notes', { text: 'old' });
        await (await callerAt(current, sub)).make('notes', { text: 'new' });
      }
      const lines = [
        { old: 'busy', new: 'busy' },
        '',
        { old: 'free', new: 'free' },
        { old: 'busier', new: 'busier' },
      ];
      refused(said(await migrate(lines)), /Lines 1, 4 of the mapping name callers who have data/);
      assert.deepEqual(await (await callerAt(current, 'free')).all('notes'), []);
      const dry = said(await migrate(lines, '--dry-run', '--json'));
      failed(dry, /Lines 1, 4 of the mapping/);
      assert.deepEqual(JSON.parse(dry.stdout).taken_lines, [1, 4]);
      assert.match(done(await migrate(lines.slice(1, 3))), /^1 callers are migrated, with 1 records/);
    });

    it('says which line of a mapping is wrong, and never what stands in it', async () => {
      const good = { old: 'a', new: 'b' };
      for (const [bad, says] of [
        [`{"old":"${planted.old}","new":}`, /Line 2 of the mapping must be {"old"/],
        [`${planted.old},${planted.new}`, /Line 2 of the mapping must be/],
        [{ ...planted, name: 'x' }, /Line 2 of the mapping must be/],
        [{ old: planted.old, new: '' }, /Line 2 of the mapping must be/],
        [`{"old":"a","old":"${planted.old}","new":"b"}`, /Line 2 of the mapping must be/],
        [{ old: 'a', new: 'c' }, /Lines 1 and 2 of the mapping have the same "old" subject/],
        [{ old: 'c', new: 'b' }, /Lines 1 and 2 of the mapping have the same "new" subject/],
      ] as const)
        refused(said(await migrate([good, bad])), says);
      refused(said(await migrate([''])), /has no lines/);
    });

    it('takes names and issuers, and only a provider whose tokens are taken to go to', async () => {
      const from = (...parameters: string[]) =>
        runVestibule(settings, 'consumer', 'migrate', '--mapping', `${folder}/none.jsonl`, ...parameters);
      refused(
        await from('--from', 'nobody', '--to', 'current'),
        /--from must name a provider or its issuer; found "nobody"/,
      );
      const gone = 'https://gone.example.org';
      refused(
        await from('--from', 'https://gone.example.org', '--to', 'current'),
        /mapping cannot be read \(ENOENT\)/,
      );
      refused(await from('--from', 'former', '--to', gone), /--to must name a provider or its issuer/);
      refused(await from('--from', current.origin, '--to', 'current'), /name the same issuer/);
      refused(
        await from('--from', 'both', '--to', 'current'),
        /may issue tokens as "http:\/\/127\.0\.0\.1:1" or "http:\/\/127\.0\.0\.1:1\/"/,
      );
    });

    // With SQLite nobody could write the line, either, while somebody else holds the database.
    if (engine === 'postgres')
      it('says in the audit that it has begun, before it waits for anybody', async () => {
        const { id } = await meOf(await callerAt(former, 'held'));
        const holder = new Client(settings.DATABASE_URL);
        await holder.connect();
        await holder.query('begin');
        await holder.query('select 1 from consumers where id = $1 for update', [id]);
        const running = migrate([{ old: 'held', new: 'held' }]);
        try {
          await until(
            () =>
              plainSql(settings).query(
                "select action from audit where action like 'consumer.migrat%' order by seq",
              ),
            (found) => found.at(-1)?.action === 'consumer.migration_started',
            'nothing is said of a run that could be killed now',
          );
        } finally {
          await holder.end();
        }
        assert.match(done(await running), /^1 callers are migrated/);
      });

    it('leaves a line in the audit when it begins and one with counts when it ends, and no subject anywhere', async () => {
      const lines = JSON.parse(succeeded(await runVestibule(settings, 'audit', '--json')));
      const [begun, first] = lines.filter(({ action }: { action: string }) =>
        /^consumer.migrat/.test(action),
      );
      assert.deepEqual(
        [begun.action, begun.subject, begun.details],
        ['consumer.migration_started', 'former to current', { lines: 2 }],
      );
      assert.deepEqual([first.action, first.subject], ['consumer.migrated', 'former to current']);
      assert.deepEqual(first.details, { migrated: 1, done: 0, unknown: 1, taken: 0, records: 1 });
      const told = JSON.stringify([outputs, lines, service.logLines()]);
      for (const subject of Object.values(planted)) assert.ok(!told.includes(subject), subject);
      for (const table of ['consumers', 'events', 'renamed_consumers', 'audit', 'shelf']) {
        const rows = JSON.stringify(await plainSql(settings).query(`select * from ${table}`));
        for (const subject of Object.values(planted))
          assert.ok(!rows.includes(subject), `${table}: ${subject}`);
      }
      const renamed = await plainSql(settings).query(
        "select owner, data from events where type = 'consumer.renamed'",
      );
      assert.equal(renamed.length, engine === 'sqlite' ? 2 : 3);
      for (const { owner, data } of renamed) {
        assert.equal(JSON.parse(String(data)).owner, owner);
        assert.match(JSON.parse(String(data)).former, /^usr_[\w-]{43}$/);
      }
    });
  });
}
