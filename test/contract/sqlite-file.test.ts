import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { newSqliteFile, sqliteDatabase } from '../support/databases.ts';
import { anyLine, newClient, newSecret } from '../support/records.ts';

/** What each pragma must be for the promises: nothing acknowledged is lost, nothing removed stays. */
const promised = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, secure_delete: 1 };

describe('the SQLite file', () => {
  it('is used with the pragmas that the promises rest on', async () => {
    const engine = await sqliteDatabase(newSqliteFile()).openEngine();
    for (const [name, value] of Object.entries(promised)) {
      const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(engine.database);
      assert.deepEqual(Object.values(rows[0] ?? {}), [value], name);
    }
    await engine.close();
  });

  it('and its companions can be read by their owner only', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await storage.consumers.register('somebody', 'user', 1);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      assert.equal(statSync(name).mode & 0o777, 0o600, name.slice(file.length) || 'the file');
    }
    await storage.close();
  });

  it('holds everything by itself after a clean stop', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    await storage.consumers.register('somebody', 'user', 1);
    await storage.close();
    assert.equal(existsSync(`${file}-wal`), false);
    assert.ok(readFileSync(file).includes('somebody'));
  });

  it('keeps no byte of a client that was removed', async () => {
    const file = newSqliteFile();
    const storage = await sqliteDatabase(file).open();
    const client = newClient({ id: 'gone-client', label: 'label-of-gone' });
    const secret = newSecret({ id: 'secret-of-gone', digest: Buffer.from('digest-of-gone') });
    await storage.clients.add(client, secret, anyLine);
    const traces = [client.id, client.label, 'secret-of-gone', 'digest-of-gone'];
    const kept = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
    for (const trace of traces) assert.ok(kept.includes(trace), `control: ${trace} is there at first`);
    await storage.clients.remove(client.id, anyLine);
    await storage.close();
    for (const trace of traces) assert.equal(readFileSync(file).includes(trace), false, trace);
  });
});
