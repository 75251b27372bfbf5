import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Administration } from '../../app/administration.ts';
import { makePrivateFolder } from '../../base/folder.ts';
import { dataFolder } from './environment.ts';

const id = 'dev-client';
const file = `${dataFolder}/dev-client.secret`;

/** One client for the examples, added once; its secret stays in a file for its owner, so that they work every time. */
export async function ensureExampleClient({ storage, clients }: Administration) {
  if (existsSync(file)) {
    const secret = readFileSync(file, 'utf8').trim();
    if (await clients.hasSecret(id, secret)) return { id, secret };
  }
  if ((await storage.clients.find(id)) !== null) await clients.remove(id);
  const label = 'the client of the examples';
  const secret = (await clients.add({ id, label, scopes: [], publicKey: null })) ?? '';
  makePrivateFolder(dataFolder);
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return { id, secret };
}
