import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { surroundingsFor } from '../shared/stage.ts';
import { idOf, type Listing, listing } from './data.ts';
import type { Dialect, RecordsPeer } from './peer.ts';

const program = join(import.meta.dirname, 'bare-process.ts');
const path = '/listings';

const dialect: Dialect = {
  headers: {},
  takesTokens: false,
  createPath: path,
  pathOf: (id) => `${path}/${id}`,
  pagePath: (from) => `${path}?from=${from}`,
  itemsOf: ({ items }: { items: readonly Listing[] }) => items,
  idOf: ({ id }: { id: string }) => id,
};

/** The floor for GET one: see bare-process.ts. A page and a write are done there so that the same loads run, and tell nothing. */
export const bare: RecordsPeer = {
  name: 'bare',
  title: 'node:http, bare, records in memory',
  dialect,
  usesPostgres: false,
  servesMe: false,
  largest: 1_000,
  async furnish(size, stage) {
    const { port, folder } = await surroundingsFor(`bare-${size}`, stage);
    const file = join(folder, 'records.json');
    const records = Array.from({ length: size }, (_, number) => ({ id: idOf(number), ...listing(number) }));
    writeFileSync(file, JSON.stringify(records));
    const origin = `http://127.0.0.1:${port}`;
    return {
      program: { command: process.execPath, parameters: [program, String(port), file], environment: {} },
      origin,
      folder,
      probe: `${origin}${dialect.pathOf(idOf(0))}`,
      // It stores nothing, and no test writes to it.
      restore: async () => Number.POSITIVE_INFINITY,
    };
  },
};
