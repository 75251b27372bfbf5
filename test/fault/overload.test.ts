import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { TurnsByOwner } from '../../src/consumer/records/turns-by-owner.ts';
import type { Storage } from '../../src/storage/port.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { anyKeys, newSqliteFile, openedAt, sqliteDatabase } from '../support/databases.ts';
import { createDatabase } from '../support/postgres.ts';
import { newRecord } from '../support/records.ts';
import { surroundings } from '../support/surroundings.ts';

const isOverloaded = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error));
  assert.equal(error.code, 'overloaded');
  assert.match(String(error.options.detail), says);
  assert.doesNotMatch(String(error.options.detail), /another process/);
  assert.equal(error.options.retryAfterSeconds, 1);
  return true;
};

/** A transaction that has begun and goes on until it is told to end. */
function holdTransaction({ records }: Storage) {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = records.write(async (write) => {
    await write.insert(newRecord());
    begun.resolve();
    await held.promise;
  });
  const end = () => {
    held.resolve();
    return first;
  };
  return { begun: begun.promise, end };
}

/** Too much of our own waits: nobody else is at fault, and whoever is refused knows that nothing was begun. */
describe('what waits for the database in this process', () => {
  it('is "overloaded" when there is too much of it, on sqlite', async (t) => {
    const storage = await sqliteDatabase(newSqliteFile()).open();
    const { begun, end } = holdTransaction(storage);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const others = Array.from({ length: 5_000 }, () => storage.shelf.write('name', '', new Uint8Array()));
    await assert.rejects(storage.shelf.write('name', '', new Uint8Array()), isOverloaded(/waits for SQLite/));
    await Promise.all([end(), ...others]);
  });

  it('is "overloaded" when all sessions are in use for too long, on postgres', async (t) => {
    const url = await createDatabase(surroundings().postgresUrl);
    const storage = await createStorage(openPostgres(url, 1), openedAt, anyKeys);
    const { begun, end } = holdTransaction(storage);
    t.after(async () => {
      await end();
      await storage.close();
    });
    await begun;
    const waiting = [
      storage.consumers.find('x'),
      storage.records.write((write) => write.insert(newRecord())),
    ];
    await Promise.all(waiting.map((asked) => assert.rejects(asked, isOverloaded(/in use for too long/))));
    await end();
    assert.equal(await storage.consumers.find('x'), null);
  });

  it('is "overloaded" when one caller has too much of it', async () => {
    const turns = new TurnsByOwner();
    const held = Promise.withResolvers<void>();
    const owner = randomUUID();
    const all = Array.from({ length: 1_000 }, () => turns.take(owner, () => held.promise));
    await assert.rejects(
      turns.take(owner, async () => {}),
      isOverloaded(/of one caller/),
    );
    held.resolve();
    await Promise.all(all);
  });
});
