import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import {
  databaseEngines,
  fileOf,
  newSettings,
  runVestibule,
  type Settings,
} from '../support/services/service.ts';

/** Occurs in no other text of the database. */
const planted = 'marmoset-plumage';

for (const engine of databaseEngines)
  describe(`erasure of a person with roles, on ${engine}`, () => {
    const target = deployment({ engine, declarations: attackDeclarations });
    const query = (sql: string) => plainSql(target().service.settings).query(sql);

    /** Ada owns, is a member, a borrower and an inviter; all that she wrote says so. */
    const stage = async () => {
      const [ada, bob, cleo] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const team = await ada.make('teams', { title: planted });
      await ada.invites(`teams/${team}`, 'member', bob);
      const club = await bob.make('clubs', { title: 'of bob' });
      await bob.invites(`clubs/${club}`, 'chair', ada);
      const joined = await topicsOf('clubs.joined', club);
      assert.equal((await bob.patch(`clubs/${club}`, { title: 'still of bob' })).status, 200);
      const readers = await topicsOf('clubs.changed', club);
      const code = await ada.codeFor(`clubs/${club}`, { role: 'guest' });
      const paper = await bob.make('papers', { text: 'of bob', shelf: 'top' });
      await bob.invites(`papers/${paper}`, 'reviewer', ada);
      await bob.post(`papers/${paper}/hand_in`);
      const item = await bob.make('items', { title: 'Drill' });
      assert.equal((await ada.post(`items/${item}/request`)).status, 200);
      const { id } = (await ada.get('me')).body;
      const person = joined.filter((topic) => !readers.includes(topic));
      assert.equal(person.length, 1);
      return { ada, bob, cleo, team, club, paper, item, code, id, topic: String(person[0]) };
    };

    const topicsOf = async (type: string, id: string) => {
      const rows = await query(
        `select topic from event_topics join events on events.position = event_topics.position
         where type = '${type}' and record_id = '${id}'`,
      );
      return rows.map(({ topic }) => Buffer.from(topic as Uint8Array).toString('hex'));
    };

    /** No row of a table that could still lead to the person. */
    const isGone = async (settings: Settings, id: string, topic: string) => {
      const database = plainSql(settings);
      for (const sql of [
        `select 1 from members where member = '${id}'`,
        `select 1 from invitations where made_by = '${id}'`,
        `select 1 from records where owner = '${id}'`,
        `select 1 from usage where owner = '${id}'`,
      ])
        assert.deepEqual(await database.query(sql), [], sql);
      for (const table of await database.tables()) {
        const rows = await database.query(`select * from ${table}`);
        assert.ok(!JSON.stringify(rows).includes(planted), table);
      }
      const topics = await database.query('select topic from event_topics');
      const kept = topics.map((row) => Buffer.from(row.topic as Uint8Array).toString('hex'));
      assert.ok(!kept.includes(topic), 'the topic of the person');
    };

    it('leaves nothing of the person in the records of others, which stay usable', async () => {
      const { ada, bob, cleo, team, club, paper, item, code, id, topic } = await stage();
      assert.equal((await ada.delete('me')).status, 200);
      await isGone(target().service.settings, id, topic);
      assert.equal((await bob.get(`teams/${team}`)).status, 404);
      assert.equal((await cleo.post('invitations', { code })).body.code, 'invitation_invalid');
      const drill = (await bob.get(`items/${item}`)).body;
      assert.deepEqual([drill.state, drill.people, drill.roles], ['requested', {}, ['owner']]);
      // Requests to the erased person can be answered.
      assert.equal((await bob.post(`items/${item}/decline`)).status, 200);
      assert.equal((await cleo.post(`items/${item}/request`)).status, 200);
      assert.equal((await bob.post(`papers/${paper}/take_back`)).status, 200);
      const { items } = (await bob.get(`clubs/${club}/members`)).body;
      assert.equal(items.map(({ role }: { role: string }) => role).join(), 'owner');
      assert.equal((await bob.caller.usage('clubs')).records.used, 1);
    });

    it('returns no role when the person signs in again', async () => {
      const sub = `returns to ${engine}`;
      const [ada, bob] = [await Person.of(target(), { sub }), await Person.of(target())];
      const team = await bob.make('teams', { title: 'of bob' });
      await bob.invites(`teams/${team}`, 'admin', ada);
      assert.equal((await ada.delete('me')).status, 200);
      const back = await Person.of(target(), { sub });
      assert.equal((await back.get(`teams/${team}`)).status, 404);
      assert.deepEqual((await back.get('teams')).body.items, []);
      assert.equal((await back.delete(`teams/${team}/members/me`)).status, 404);
    });

    if (engine === 'sqlite')
      it('is repeated on a restored backup that still has the roles', async () => {
        const { ada, id, topic } = await stage();
        const { settings } = target().service;
        const backup = `${newDirectory()}/backup.db`;
        succeeded(await runVestibule(settings, 'backup', backup));
        assert.equal((await ada.delete('me')).status, 200);
        const restored = {
          ...(await newSettings('sqlite', {})),
          ...target().provider.settings,
          COLLECTIONS_DIR: String(settings.COLLECTIONS_DIR),
          MASTER_SECRET_FILE: `${fileOf(settings)}.secret`,
        };
        const log = `${fileOf(settings)}.erasures`;
        succeeded(await runVestibule(restored, 'restore', backup, '--erasures', log));
        await isGone(restored, id, topic);
      });
  });
