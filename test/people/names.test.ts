import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { plainSql } from '../support/databases/plain-sql.ts';
import { encodings } from '../support/faults/canaries.ts';
import { EventStream } from '../support/http/event-stream.ts';
import type { Reply } from '../support/http/request.ts';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines, fileOf } from '../support/services/service.ts';

const pseudonym = /(?:usr|svc)_[A-Za-z0-9_-]+/g;

for (const engine of databaseEngines)
  describe(`aliases of people, on ${engine}`, () => {
    const target = deployment({ engine, declarations: attackDeclarations });

    it('a person has another alias in every record', async () => {
      const [ada, bob, cleo] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const aliases: string[] = [];
      for (const collection of ['teams', 'teams', 'clubs']) {
        const one = `${collection}/${await ada.make(collection, { title: 'Us' })}`;
        const role = collection === 'teams' ? 'member' : 'guest';
        await ada.invites(one, role, bob, cleo);
        const { items } = (await ada.get(`${one}/members`)).body;
        assert.equal(items.length, 3);
        aliases.push(...items.map(({ alias }: { alias: string }) => alias));
        // The alias survives leaving and returning.
        const before = await bob.aliasIn(one);
        assert.equal((await bob.delete(`${one}/members/me`)).status, 204);
        await ada.invites(one, role, bob);
        assert.equal(await bob.aliasIn(one), before);
      }
      for (const name of ['Drill', 'Saw']) {
        const { id, owner } = (await ada.post('items', { title: name })).body;
        const { people } = (await bob.post(`items/${id}/request`)).body;
        aliases.push(owner, people.borrower);
      }
      assert.equal(new Set(aliases).size, aliases.length);
      // An alias of one record names no one in another.
      const [other] = (await ada.get('teams')).body.items;
      for (const alias of aliases.slice(0, 3))
        assert.equal((await ada.delete(`teams/${other.id}/members/${alias}`)).status, 404);
    });

    it('accepting an invitation returns the same aliases as reading the record afterwards', async () => {
      const [ada, bob, cleo] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const one = `jobs/${await ada.make('jobs', { title: 'Drive' })}`;
      const { people } = (await bob.post(`${one}/take`)).body;
      const code = await ada.codeFor(one, { role: 'helper' });
      const { record } = (await cleo.post('invitations', { code })).body;
      assert.deepEqual(record.people, people);
      assert.deepEqual(record, (await cleo.get(one)).body);
    });

    it('no answer or stream shows the pseudonym of another person', async () => {
      const [ada, bob, eve] = (await Person.several(target(), 3)) as [Person, Person, Person];
      const replies: Reply[] = [];
      const ask = async (who: Person, method: string, path: string, body?: object) => {
        const { reply, body: answered } = await who.send(method, path, body);
        replies.push(reply);
        return answered;
      };
      const streams = [
        await EventStream.open(ada.caller, { query: '?collection=items,clubs,papers' }),
        await EventStream.open(bob.caller, { query: '?collection=items,clubs,papers' }),
        await EventStream.open(eve.caller, { query: '?collection=items' }),
      ];
      const item = await ask(ada, 'POST', 'items', { title: 'Drill' });
      await ask(bob, 'POST', `items/${item.id}/request`);
      await ask(eve, 'POST', `items/${item.id}/request`);
      await ask(eve, 'GET', `items/${item.id}`);
      await ask(eve, 'GET', `items/${item.id}/members`);
      await ask(eve, 'PATCH', `items/${item.id}`, { title: 'Mine' });
      await ask(eve, 'GET', 'items?limit=1');
      await ask(ada, 'POST', `items/${item.id}/lend`, { due: 'soon' });
      const club = await ask(ada, 'POST', 'clubs', { title: 'Chess' });
      const one = `clubs/${club.id}`;
      const { code } = await ask(ada, 'POST', `${one}/invitations`, { role: 'chair' });
      await ask(bob, 'POST', 'invitations', { code });
      await ask(bob, 'POST', 'invitations', { code });
      await ask(bob, 'POST', `${one}/invitations`, { role: 'guest' });
      for (const who of [ada, bob]) {
        for (const path of [one, `${one}/members`, `${one}/invitations`, 'clubs?limit=1', 'events?after=0'])
          await ask(who, 'GET', path);
        const stale = await who.caller.send('PATCH', `/${one}`, { title: 'Go' }, { 'if-match': '"AAAA"' });
        assert.equal(stale.status, 412);
        replies.push(stale, await who.caller.get('/me/export'));
      }
      const handover = await ask(ada, 'POST', `${one}/invitations`, { role: 'owner' });
      await ask(bob, 'POST', 'invitations', { code: handover.code });
      await ask(ada, 'GET', one);
      await streams[2]?.next(2);
      const ids = new Map<Person, string>();
      for (const who of [ada, bob, eve]) ids.set(who, (await who.get('me')).body.id);
      const texts = [
        ...replies.map(({ text, headers }) => `${text} ${JSON.stringify([...headers])}`),
        ...streams.map(({ text }) => text),
      ];
      for (const text of texts) {
        // Cursors are base64 of a place.
        const decoded = (text.match(/[A-Za-z0-9_-]{24,}/g) ?? []).map((word) =>
          Buffer.from(word, 'base64url').toString('latin1'),
        );
        const isExport = text.includes('"type":"consumer"');
        const found = [text, ...decoded].flatMap((one) => one.match(pseudonym) ?? []);
        assert.ok(found.length === 0 || (isExport && new Set(found).size === 1), `${found} in ${text}`);
      }
      for (const stream of streams) stream.close();
    });

    it('the invitation code is stored nowhere', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
      const stream = await EventStream.open(ada.caller);
      const codes = [
        await ada.codeFor(one, { role: 'member', uses: 5 }),
        await ada.codeFor(one, { role: 'member' }),
      ];
      assert.equal((await bob.post('invitations', { code: codes[0] })).status, 200);
      assert.equal((await bob.post('invitations', { code: `${codes[1]}x` })).status, 404);
      await stream.next(1);
      const { service } = target();
      const { settings } = service;
      const tables = await plainSql(settings).tables();
      const kept: [string, Buffer][] = [
        ['log', Buffer.from(JSON.stringify(service.logLines()))],
        ['metrics', Buffer.from(await service.metrics())],
        ['stream', Buffer.from(stream.text)],
        ['invitations', Buffer.from((await ada.get(`${one}/invitations`)).reply.text)],
        ['export', Buffer.from((await ada.caller.get('/me/export')).text)],
      ];
      for (const table of tables) {
        const rows = await plainSql(settings).query(`select * from ${table}`);
        // Bytes as they are: JSON would write them as numbers.
        const values = rows.flatMap((row) => Object.values(row));
        kept.push([
          table,
          Buffer.concat(
            values.map((value) =>
              ArrayBuffer.isView(value) ? Buffer.from(value as Uint8Array) : Buffer.from(`${value}\n`),
            ),
          ),
        ]);
      }
      if (engine === 'sqlite')
        for (const file of globSync(`${dirname(fileOf(settings))}/*`, { withFileTypes: true }))
          if (file.isFile()) kept.push([file.name, readFileSync(`${file.parentPath}/${file.name}`)]);
      assert.ok(kept.length > 10);
      for (const code of codes)
        for (const [form, bytes] of [...encodings(code), ['raw', Buffer.from(code, 'base64url')] as const])
          for (const [where, content] of kept) assert.ok(!content.includes(bytes), `${form} in ${where}`);
      stream.close();
    });
  });
