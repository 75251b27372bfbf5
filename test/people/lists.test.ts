import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines } from '../support/services/service.ts';

for (const engine of databaseEngines)
  describe(`lists of own and shared records, on ${engine}`, () => {
    const target = deployment({ engine, declarations: attackDeclarations });
    /** All pages of a list; the ids in their order. */
    const pagesOf = async (
      person: Person,
      query: string,
      between: () => Promise<unknown> = async () => {},
    ) => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await person.get(`papers?${query}${cursor && `&cursor=${cursor}`}`);
        assert.equal(status, 200, JSON.stringify(body));
        ids.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.next;
        await between();
      }
      return ids;
    };

    it('contain every visible record once and in order, for every page size', async () => {
      const [ada, bob] = [await Person.of(target()), await Person.of(target())];
      const [own, shared, hidden]: string[][] = [[], [], []];
      for (let index = 0; index < 15; index += 1) {
        own?.push(await bob.make('papers', { text: 'own', shelf: String(index % 3) }));
        const id = await ada.make('papers', { text: 'shared', shelf: String(index % 3) });
        await ada.invites(`papers/${id}`, 'reviewer', bob);
        if (index % 2 === 0) await ada.post(`papers/${id}/hand_in`);
        (index % 2 === 0 ? shared : hidden)?.push(id);
      }
      // Ids sort by creation time.
      const visible = [...(own ?? []), ...(shared ?? [])].sort();
      for (const limit of [1, 4, 50]) {
        assert.deepEqual(await pagesOf(bob, `limit=${limit}&sort=created_at`), visible, `limit ${limit}`);
        assert.deepEqual(await pagesOf(bob, `limit=${limit}`), visible.toReversed(), `limit ${limit}`);
      }
      assert.deepEqual(await pagesOf(bob, 'limit=2&sort=created_at&role=reviewer'), shared);
      assert.deepEqual(await pagesOf(bob, 'limit=2&sort=created_at&mine=true'), own);
      assert.deepEqual(await pagesOf(bob, 'limit=2&state=draft&sort=created_at'), own);
      assert.equal((await pagesOf(bob, 'limit=2&shelf=0')).length, 5 + 3);
      // Bob leaves one record after each page.
      const left = [...(shared ?? [])];
      const seen = await pagesOf(bob, 'limit=2&sort=created_at&role=reviewer', async () => {
        const last = left.pop();
        if (last !== undefined) assert.equal((await bob.delete(`papers/${last}/members/me`)).status, 204);
      });
      assert.deepEqual(seen, shared?.slice(0, seen.length));
      assert.ok(seen.length < (shared?.length ?? 0));
      assert.deepEqual(await pagesOf(bob, 'role=reviewer&sort=created_at'), left);
      const cursor = (await bob.get('papers?limit=1')).body.next;
      assert.equal((await ada.get(`papers?limit=1&cursor=${cursor}`)).body.code, 'cursor_invalid');
    });

    it('of members have the owner first and every member once, for every page size', async () => {
      const [ada, ...others] = await Person.several(target(), 5);
      const [bob] = others;
      assert.ok(ada && bob);
      const path = `papers/${await ada.make('papers', { text: 'ours', shelf: '1' })}`;
      await ada.invites(path, 'reviewer', ...others);
      await ada.post(`${path}/hand_in`);
      const whole = (await ada.get(`${path}/members`)).body;
      assert.deepEqual([whole.items.length, whole.items[0].role, whole.next], [5, 'owner', null]);
      for (const limit of [1, 2, 4, 5]) {
        const items: unknown[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = await ada.get(`${path}/members?limit=${limit}${cursor && `&cursor=${cursor}`}`);
          assert.ok(body.items.length <= limit);
          items.push(...body.items);
          cursor = body.next;
        }
        assert.deepEqual(items, whole.items, `limit ${limit}`);
      }
      const cursor = (await ada.get(`${path}/members?limit=2`)).body.next;
      const refused = async (who: Person, query: string) =>
        (await who.get(`${path}/members?${query}`)).body.code;
      assert.equal(await refused(ada, `cursor=${cursor}&cursor=${cursor}`), 'query_invalid');
      assert.equal(await refused(ada, 'role=reviewer'), 'query_invalid');
      assert.equal(await refused(ada, `cursor=${cursor}x`), 'cursor_invalid');
      assert.equal(await refused(bob, `cursor=${cursor}`), 'cursor_invalid');
    });
  });
