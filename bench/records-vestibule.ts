import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './ask.ts';
import { send } from './load.ts';
import { vestibule } from './peers/vestibule.ts';
import { startServer } from './processes.ts';
import { collection, declaration, type Listing, pageSize } from './records-data.ts';
import { postgresDatabase, sqliteDatabase } from './records-fill.ts';
import type { Dialect, RecordsPeer } from './records-line-up.ts';
import { surroundingsFor } from './token-stage.ts';
import { callers } from './tokens.ts';
import { untilReady } from './until-ready.ts';

const path = `/api/consumer/v1/${collection}`;

const dialect: Dialect = {
  headers: {},
  takesTokens: true,
  createPath: path,
  pathOf: (id) => `${path}/${id}`,
  pagePath: (from) => `${path}?sort=starts_at&starts_at[gte]=${from}&limit=${pageSize}`,
  itemsOf: ({ items }: { items: readonly Listing[] }) => items,
  idOf: ({ id }: { id: string }) => id,
};

/** `vestibule serve` with one declared collection; request log off. */
export function vestibuleOn(engine: 'sqlite' | 'postgres'): RecordsPeer {
  const title = `Vestibule on ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`;
  return {
    name: `vestibule-${engine}`,
    title,
    dialect,
    usesPostgres: engine === 'postgres',
    servesMe: true,
    largest: Number.POSITIVE_INFINITY,
    async furnish(size, stage) {
      const surroundings = await surroundingsFor(`vestibule-${engine}-${size}`, stage);
      const { folder, port, opsPort } = surroundings;
      const collections = join(folder, 'collections');
      mkdirSync(collections);
      writeFileSync(join(collections, `${collection}.yaml`), declaration);
      const file = join(folder, 'vestibule.db');
      const url = engine === 'sqlite' ? `sqlite:${file}` : await stage.postgres.createDatabase();
      const program = vestibule(surroundings, 'warn', {
        DATABASE_URL: url,
        MASTER_SECRET: randomBytes(48).toString('base64url'),
        COLLECTIONS_DIR: collections,
        READS_PER_MINUTE: '1000000',
      });
      const origin = `http://127.0.0.1:${port}`;
      const probe = `http://127.0.0.1:${opsPort}/readyz`;

      // The first start makes the tables and indexes, and each caller comes in once and is registered.
      const server = startServer(program, join(folder, 'output.log'));
      await untilReady(title, server, async () => (await ask(probe)).status === 200);
      const { generator, tokens } = stage;
      await send(generator, {
        url: `${origin}/api/consumer/v1/me`,
        ...{ tokens, skip: 0, count: callers, seconds: null },
      });
      await server.stop();

      const database = engine === 'sqlite' ? sqliteDatabase(file) : postgresDatabase(url);
      await database.fill(size);
      return { program, origin, folder, probe, restore: () => database.restore() };
    },
  };
}
