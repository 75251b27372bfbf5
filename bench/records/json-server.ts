import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { surroundingsFor } from '../shared/stage.ts';
import { idOf, type Listing, listing, pageSize } from './data.ts';
import type { Dialect, RecordsPeer } from './peer.ts';

const program = join(import.meta.dirname, '../node_modules/json-server/lib/cli/bin.js');
const path = '/listings';

const dialect: Dialect = {
  headers: {},
  takesTokens: false,
  createPath: path,
  pathOf: (id) => `${path}/${id}`,
  pagePath: (from) => `${path}?_sort=starts_at&_order=asc&starts_at_gte=${from}&_limit=${pageSize}`,
  itemsOf: (items: readonly Listing[]) => items,
  idOf: ({ id }: { id: string }) => id,
};

/**
 * All records in memory, and in one file that is written anew with every change. With a hundred thousand records a
 * single change takes most of a second, and 32 at once longer than anybody waits: it is measured with a thousand.
 */
export const jsonServer: RecordsPeer = {
  name: 'json-server',
  title: 'json-server (one JSON file)',
  dialect,
  usesPostgres: false,
  servesMe: false,
  largest: 1_000,
  async furnish(size, stage) {
    const { port, folder } = await surroundingsFor(`json-server-${size}`, stage);
    const file = join(folder, 'records.json');
    const write = () => {
      const listings = Array.from({ length: size }, (_, number) => ({
        id: idOf(number),
        ...listing(number),
      }));
      writeFileSync(file, JSON.stringify({ listings }));
    };
    write();
    const origin = `http://127.0.0.1:${port}`;
    return {
      program: {
        command: process.execPath,
        parameters: [program, '--quiet', '--host', '127.0.0.1', '--port', String(port), file],
        environment: {},
      },
      origin,
      folder,
      probe: `${origin}${dialect.pathOf(idOf(0))}`,
      async restore() {
        const { listings } = JSON.parse(readFileSync(file, 'utf8'));
        write();
        return listings.length - size;
      },
    };
  },
};
