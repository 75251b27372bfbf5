import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Erasure, Renaming, Storage } from '../../src/storage/port.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { consumerKey } from '../support/batch-rules.ts';
import { addOne, apply, insertAll, load, newIdempotencyKey, register, setUsage } from '../support/batches.ts';
import {
  anyKeys,
  createTestDatabase,
  openedAt,
  storageKinds,
  type TestDatabase,
} from '../support/databases.ts';
import { until } from '../support/polling.ts';
import { erasureOf, newEvent, newLine, newRecord, noUsage } from '../support/records.ts';

/** Two pseudonyms that nobody else of a test has. */
function renamingOf(word: string): Renaming {
  return renaming(`usr_old_${word}`, `usr_new_${word}`);
}

function renaming(from: string, to: string): Renaming {
  const former = { from: consumerKey(from).former, to: consumerKey(to).former };
  return { from, to, noted: anyKeys.erasures.digestOf(from), former };
}

function eventOf({ from, to }: Renaming) {
  const data = JSON.stringify({ owner: to, former: from });
  return newEvent(0, { type: 'consumer.renamed', collection: null, recordId: null, owner: to, data });
}

for (const engine of storageKinds) {
  describe(`consumers under another pseudonym, by the storage contract on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    const noted: Erasure[] = [];
    before(async () => {
      database = await createTestDatabase(engine);
      const append = async (erasure: Erasure) => void noted.push(erasure);
      storage = await createStorage(await database.openEngine(), openedAt, {
        ...anyKeys,
        erasures: { ...anyKeys.erasures, append },
      });
    });
    after(() => storage.close());

    const keyOf = (owner: string) => newIdempotencyKey({ owner, keyDigest: Uint8Array.of(7) });
    const spent = { ...noUsage, records: 2, writes: 5, writesSince: openedAt };

    /** A consumer with something of everything. */
    async function fill(owner: string): Promise<void> {
      await register(storage, owner, 'user', openedAt);
      const made = [newRecord({ owner }), newRecord({ owner })];
      await insertAll(storage, made);
      await setUsage(storage, owner, 'notes', spent);
      await apply(storage, {
        idempotencyKeys: [keyOf(owner)],
        events: [newEvent(1, { owner }), newEvent(2, { owner })],
      });
    }

    const rename = (renaming: Renaming) => storage.consumers.rename(renaming, eventOf(renaming));
    const examine = (renaming: Renaming) => storage.consumers.examineRenaming(renaming);
    async function eventsOf(owner: string) {
      const { last } = await storage.events.extent();
      return (await storage.events.list({ after: 0, until: last, owner, limit: 100 })).map(
        ({ type }) => type,
      );
    }
    /** In which tables the name stands, in whatever column. */
    async function tablesWith(name: string): Promise<string[]> {
      const found: string[] = [];
      for (const table of await database.tables()) {
        const rows = await database.query(`select * from ${table}`);
        const isIn = (row: object) => Object.values(row).some((value) => value === name);
        if (rows.some(isIn)) found.push(table);
      }
      return found;
    }

    it('keep everything they had, and nothing stays under the name of before', async () => {
      const renaming = renamingOf('whole');
      await fill(renaming.from);
      const before = await storage.records.ofOwner(renaming.from, null, 10);
      assert.equal(await examine(renaming), 'due');
      assert.deepEqual(await rename(renaming), { state: 'due', records: 2 });
      assert.deepEqual(await tablesWith(renaming.from), []);
      assert.deepEqual(await storage.consumers.find(renaming.to), {
        id: renaming.to,
        kind: 'user',
        state: 'active',
        registeredAt: openedAt,
      });
      const now = await storage.records.ofOwner(renaming.to, null, 10);
      assert.deepEqual(
        now,
        before.map((record) => ({ ...record, owner: renaming.to })),
      );
      assert.deepEqual((await storage.records.usage(renaming.to)).get('notes'), spent);
      assert.equal(
        (await load(storage, { idempotencyKeys: [keyOf(renaming.to)] })).idempotencyKeys.length,
        1,
      );
      assert.deepEqual(await eventsOf(renaming.to), ['notes.created', 'notes.created', 'consumer.renamed']);
      assert.deepEqual(await eventsOf(renaming.from), []);
    });

    it('are recognised when it is done again, and left as they are', async () => {
      const renaming = renamingOf('again');
      await fill(renaming.from);
      await rename(renaming);
      assert.equal(await examine(renaming), 'done');
      assert.deepEqual(await rename(renaming), { state: 'done', records: 0 });
      // Somebody came with a token of before, and has written nothing.
      await register(storage, renaming.from, 'user', openedAt);
      assert.equal(await examine(renaming), 'done');
      assert.equal(await addOne(storage, renaming.from), true);
      assert.equal(await examine(renaming), 'taken', 'what was written meanwhile is not lost without a word');
      assert.equal((await eventsOf(renaming.to)).length, 3, 'it was told once');
    });

    it('that are not known are said to be unknown', async () => {
      assert.equal(await examine(renamingOf('stranger')), 'unknown');
      assert.deepEqual(await rename(renamingOf('stranger')), { state: 'unknown', records: 0 });
      assert.equal(await storage.consumers.find(renamingOf('stranger').to), null);
    });

    it('do not become one with somebody who has data', async () => {
      const renaming = renamingOf('taken');
      await fill(renaming.from);
      await fill(renaming.to);
      assert.equal(await examine(renaming), 'taken');
      assert.deepEqual(await rename(renaming), { state: 'taken', records: 0 });
      for (const owner of [renaming.from, renaming.to])
        assert.equal((await storage.records.ofOwner(owner, null, 10)).length, 2);
      assert.notEqual(await storage.consumers.find(renaming.from), null);
    });

    it('take the place of somebody who was only there, and who is shut out under either name stays so', async () => {
      for (const out of ['from', 'to'] as const) {
        const renaming = renamingOf(`out-${out}`);
        await fill(renaming.from);
        await register(storage, renaming.to, 'user', openedAt + 5);
        await storage.consumers.setState(renaming[out], 'suspended', newLine());
        assert.equal((await rename(renaming)).state, 'due');
        const { state, registeredAt } = (await storage.consumers.find(renaming.to)) ?? assert.fail();
        assert.deepEqual({ state, registeredAt }, { state: 'suspended', registeredAt: openedAt });
        assert.deepEqual(await tablesWith(renaming.from), []);
        assert.equal(await examine(renaming), 'done');
        assert.deepEqual(await rename(renaming), { state: 'done', records: 0 });
      }
    });

    /** The digests of the former pseudonyms that are refused as well; null when it is not suspended. */
    async function refusedWith(owner: string): Promise<string[] | null> {
      const rows = (await storage.standing.suspendedConsumers()).filter(({ id }) => id === owner);
      return rows.length === 0
        ? null
        : rows.flatMap(({ former }) => (former === null ? [] : [hexOf(former)])).sort();
    }
    const hexOf = (digest: Uint8Array) => Buffer.from(digest).toString('hex');
    const nameNowOf = (former: string) => storage.consumers.renamedTo(anyKeys.erasures.digestOf(former));
    const digestsOf = (...names: string[]) =>
      names.map((name) => hexOf(anyKeys.erasures.digestOf(name))).sort();

    it('are shut out with all pseudonyms that they ever had, whenever that was said, until it is taken back', async () => {
      const first = renamingOf('ever');
      const second = renaming(first.to, 'usr_last_ever');
      await fill(first.from);
      await storage.consumers.setState(first.from, 'suspended', newLine());
      assert.deepEqual(await refusedWith(first.from), []);
      await rename(first);
      assert.deepEqual(
        [await refusedWith(first.from), await refusedWith(first.to)],
        [null, digestsOf(first.from)],
      );
      await storage.consumers.setState(first.to, 'active', newLine());
      assert.equal(await refusedWith(first.to), null);
      await rename(second);
      assert.equal(await refusedWith(second.to), null);
      for (const name of [first.from, first.to]) assert.equal(await nameNowOf(name), second.to);
      assert.equal(await nameNowOf(second.to), null);
      await storage.consumers.setState(second.to, 'suspended', newLine());
      assert.deepEqual(await refusedWith(second.to), digestsOf(first.from, first.to));
      // Back to where it came from.
      await rename(renaming(second.to, first.from));
      assert.deepEqual(
        await refusedWith(first.from),
        digestsOf(first.from, first.to, second.to),
        'its own name is among them',
      );
      await storage.records.erase(first.from, newLine(), erasureOf(first.from));
      for (const name of [first.from, first.to, second.to]) {
        assert.equal(await refusedWith(name), null);
        assert.equal(await nameNowOf(name), null);
        assert.equal(await examine(renaming(name, 'usr_anybody')), 'unknown');
      }
    });

    it('are told to everybody who keeps something of them in memory', async () => {
      const renaming = renamingOf('told');
      await fill(renaming.from);
      const neighbour = await database.open();
      let heard = 0;
      const unwatch = await neighbour.standing.watch(() => {
        heard += 1;
      });
      const before = heard;
      await rename(renaming);
      await until(
        () => heard,
        (times) => times > before,
        'nobody was told',
      );
      await unwatch();
      await neighbour.close();
    });

    it('are erased under their former names, too, in a backup that has those', async () => {
      const first = renamingOf('chain');
      await fill(first.from);
      await rename(first);
      const to = 'usr_last_chain';
      assert.equal((await rename(renaming(first.to, to))).state, 'due');
      noted.length = 0;
      await storage.records.erase(to, null, erasureOf(to));
      const digests = (all: readonly Erasure[]) => all.map(({ digest }) => hexOf(digest)).sort();
      const wanted = digestsOf(first.from, first.to, to);
      assert.deepEqual(digests(noted), wanted);
      const kept = (await storage.erasures.list('', 100)).filter(({ id }) =>
        noted.some((one) => one.id === id),
      );
      assert.deepEqual(digests(kept), wanted);
      for (const name of [first.from, first.to]) assert.deepEqual(await tablesWith(name), []);
      assert.deepEqual(await eventsOf(to), ['consumer.erased'], 'nothing says what its name was');
    });

    it('who were erased before have spent what they had spent', async () => {
      const renaming = renamingOf('spent');
      const budgetOf = async (id: string, former: Uint8Array) =>
        (await load(storage, { consumers: [{ id, former }] })).spentBudgets.map(({ usage }) => usage.writes);
      await fill(renaming.from);
      const budgets = { former: renaming.former.from, endOf: () => 9e12 };
      await storage.records.erase(renaming.from, null, erasureOf(renaming.from), budgets);
      assert.deepEqual(await budgetOf(renaming.from, renaming.former.from), [5]);
      assert.equal((await rename(renaming)).state, 'unknown');
      assert.deepEqual(await budgetOf(renaming.from, renaming.former.from), []);
      assert.deepEqual(await budgetOf(renaming.to, renaming.former.to), [5]);
      assert.deepEqual(await eventsOf(renaming.from), ['consumer.erased'], 'that stays where it was told');
    });

    it('lose nothing of what is written at the same time', async () => {
      const renaming = renamingOf('busy');
      await fill(renaming.from);
      const writing = Array.from({ length: 20 }, () => addOne(storage, renaming.from));
      const [{ state }, ...written] = await Promise.all([rename(renaming), ...writing]);
      assert.equal(state, 'due');
      const kept = (await storage.records.ofOwner(renaming.to, null, 100)).length;
      assert.equal(kept, 2 + written.filter((isWritten) => isWritten).length);
      assert.equal((await storage.records.usage(renaming.to)).get('notes')?.records, kept);
      assert.deepEqual(await storage.records.ofOwner(renaming.from, null, 10), []);
    });
  });
}
