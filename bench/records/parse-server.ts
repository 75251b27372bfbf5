import { join } from 'node:path';
import { ask } from '../shared/ask.ts';
import { withClient } from '../shared/database.ts';
import { script } from '../shared/processes.ts';
import { surroundingsFor } from '../shared/stage.ts';
import { createdAt, firstDay, idOf, type Listing, listing, pageSize } from './data.ts';
import { insertAll } from './fill.ts';
import type { Dialect, RecordsPeer } from './peer.ts';
import { startFurnished } from './start.ts';

const path = '/parse/classes/Listing';
const applicationId = 'bench';

const dialect: Dialect = {
  headers: { 'X-Parse-Application-Id': applicationId },
  takesTokens: false,
  createPath: path,
  pathOf: (id) => `${path}/${id}`,
  pagePath(from) {
    const where = encodeURIComponent(JSON.stringify({ starts_at: { $gte: from } }));
    return `${path}?order=starts_at&limit=${pageSize}&where=${where}`;
  },
  itemsOf: ({ results }: { results: readonly Listing[] }) => results,
  idOf: ({ objectId }: { objectId: string }) => objectId,
};

const columns = '"objectId", "createdAt", "updatedAt", starts_at, seats, place, note, tags';
const types = ['text', 'timestamptz', 'timestamptz', 'text', 'float8', 'text', 'text', 'jsonb'];
const atOnce = 20_000;

/** A class that is open to everyone: there is no sign-in, and no lookup of the caller. */
export const parseServer: RecordsPeer = {
  name: 'parse-server',
  title: 'parse-server on PostgreSQL',
  dialect,
  usesPostgres: true,
  servesMe: false,
  largest: 100_000,
  async furnish(size, stage) {
    const { port, folder } = await surroundingsFor(`parse-server-${size}`, stage);
    const databaseUrl = await stage.postgres.createDatabase();
    const origin = `http://127.0.0.1:${port}`;
    const probe = `${origin}/parse/health`;
    const given = { port, databaseUrl, applicationId, folder };
    const program = script(join(import.meta.dirname, 'parse-server-process.ts'), given);
    const startable = { program, origin, folder, probe };

    // Its first record makes the class, with a column for each field.
    const server = await startFurnished({ name: 'parse-server' }, startable);
    const headers = { ...dialect.headers, 'content-type': 'application/json' };
    const { status, body } = await ask(`${origin}${path}`, headers, JSON.stringify(listing(0)));
    await server.stop();
    if (status !== 201) throw new Error(`parse-server answered the first record with ${status}: ${body}`);

    await withClient(databaseUrl, async (client) => {
      await client.query('truncate "Listing"');
      await client.query('create index listing_starts_at on "Listing" (starts_at)');
      for (let first = 0; first < size; first += atOnce) {
        const rows = Array.from({ length: Math.min(atOnce, size - first) }, (_, index) => row(first + index));
        await insertAll(client, `"Listing" (${columns})`, types, rows);
      }
      for (const statement of ['vacuum analyze', 'checkpoint']) await client.query(statement);
    });
    const restore = () =>
      withClient(databaseUrl, async (client) => {
        const until = new Date(firstDay + 40 * 86_400_000).toISOString();
        const { rowCount } = await client.query(`delete from "Listing" where "createdAt" > '${until}'`);
        for (const statement of ['vacuum analyze', 'checkpoint']) await client.query(statement);
        return rowCount ?? 0;
      });
    return { ...startable, restore };
  },
};

/** In the order of the columns. */
function row(number: number): readonly unknown[] {
  const { starts_at, seats, place, note, tags } = listing(number);
  const at = new Date(createdAt(number)).toISOString();
  return [idOf(number), at, at, starts_at, seats, place, note, JSON.stringify(tags)];
}
