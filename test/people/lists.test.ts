import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/declared-processes.ts';
import { declaredService } from '../support/declared-service.ts';
import { databaseEngines } from '../support/service.ts';
import { attackDeclarations } from './attack-declarations.ts';
import { Person } from './person.ts';

for (const engine of databaseEngines)
  describe(`lists of own and shared records, on ${engine}`, () => {
    const target = declaredService(engine, {
      settings: { COLLECTIONS_DIR: declarationsFolder(attackDeclarations) },
    });
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
  });
