import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { authenticatedMemory } from '../../src/auth/stored-key-set.ts';

const key = randomBytes(32);
const here = 'https://provider.example/jwks';
const stored = { document: { keys: [{ kty: 'RSA' }] }, fetchedAt: 1, refreshAt: 2 };

/** A table in memory that the test can tamper with. */
function table() {
  const rows = new Map<string, { content: string; mac: Uint8Array }>();
  return {
    rows,
    read: async (name: string) => rows.get(name) ?? null,
    write: async (name: string, content: string, mac: Uint8Array) => void rows.set(name, { content, mac }),
  };
}

it('a stored key set is read back', async () => {
  const memory = authenticatedMemory(table(), key, here);
  assert.equal(await memory.load(), null);
  await memory.save(stored);
  assert.deepEqual(await memory.load(), stored);
});

it('a key set written into the database without the master secret is ignored', async () => {
  const documents = table();
  await authenticatedMemory(documents, key, here).save(stored);
  const row = documents.rows.get(here) as { content: string; mac: Uint8Array };
  const planted = row.content.replace('RSA', 'EC');
  const other = table();
  await authenticatedMemory(other, randomBytes(32), here).save(stored);
  const forgeries = [
    { ...row, content: planted },
    { ...row, mac: new Uint8Array(32) },
    { ...row, mac: new Uint8Array() },
    { ...row, mac: Buffer.concat([row.mac, Buffer.alloc(1)]) },
    other.rows.get(here) as typeof row,
  ];
  for (const forgery of forgeries) {
    documents.rows.set(here, forgery);
    assert.equal(await authenticatedMemory(documents, key, here).load(), null);
  }
});

it('the stored key set of one URL is not used for another', async () => {
  const documents = table();
  await authenticatedMemory(documents, key, here).save(stored);
  const there = 'https://other.example/jwks';
  documents.rows.set(there, documents.rows.get(here) as { content: string; mac: Uint8Array });
  assert.equal(await authenticatedMemory(documents, key, there).load(), null);
});
