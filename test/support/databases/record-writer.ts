import { argv } from 'node:process';
import { openSqlite } from '../../../src/storage/sqlite/engine.ts';
import { createStorage } from '../../../src/storage/storage.ts';
import { addOne } from './batches.ts';
import { anyKeys } from './databases.ts';

/** A process of its own that counts up an owner's usage so many times at once: <file> <owner> <times>. */
const [file = '', owner = '', times = '0'] = argv.slice(2);
const storage = await createStorage(await openSqlite(file), 0, anyKeys);
await Promise.all(Array.from({ length: Number(times) }, () => addOne(storage, owner)));
await storage.close();
