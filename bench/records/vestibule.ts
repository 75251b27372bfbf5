import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { send, writeRequests } from '../shared/load.ts';
import { mePath, surroundingsFor } from '../shared/stage.ts';
import { callers } from '../shared/tokens.ts';
import { vestibule } from '../shared/vestibule.ts';
import { collection, declaration, type Listing, pageSize } from './data.ts';
import { postgresDatabase, sqliteDatabase } from './fill.ts';
import type { Dialect, RecordsPeer, RecordsStage } from './peer.ts';
import { startFurnished } from './start.ts';

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
export function vestibuleOn(kind: 'sqlite' | 'postgres'): RecordsPeer {
  const name = `vestibule-${kind}`;
  const title = `Vestibule on ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`;
  return {
    name,
    title,
    dialect,
    usesPostgres: kind === 'postgres',
    servesMe: true,
    largest: Number.POSITIVE_INFINITY,
    async furnish(size, stage) {
      const { startable, database } = await prepareVestibule(
        kind,
        `${name}-${size}`,
        { [collection]: declaration },
        stage,
      );
      await database.fill(size);
      return { ...startable, restore: () => database.restore() };
    },
  };
}

/** Starts it once, which makes the tables and indexes; each caller comes in and is registered. */
export async function prepareVestibule(
  kind: 'sqlite' | 'postgres',
  name: string,
  declarations: Readonly<Record<string, string>>,
  stage: RecordsStage,
  whileRunning: (origin: string) => Promise<void> = async () => {},
) {
  const surroundings = await surroundingsFor(name, stage);
  const { folder, port, opsPort } = surroundings;
  const collections = join(folder, 'collections');
  mkdirSync(collections);
  for (const [own, text] of Object.entries(declarations))
    writeFileSync(join(collections, `${own}.yaml`), text);
  const file = join(folder, 'vestibule.db');
  const url = kind === 'sqlite' ? `sqlite:${file}` : await stage.postgres.createDatabase();
  const program = vestibule(surroundings, 'warn', {
    DATABASE_URL: url,
    MASTER_SECRET: randomBytes(48).toString('base64url'),
    COLLECTIONS_DIR: collections,
    READS_PER_MINUTE: '1000000',
  });
  const origin = `http://127.0.0.1:${port}`;
  const startable = { program, origin, folder, probe: `http://127.0.0.1:${opsPort}/readyz` };
  const server = await startFurnished({ name }, startable);
  const requests = writeRequests(
    join(folder, 'callers.txt'),
    stage.tokens.map((token) => ({ method: 'GET', path: mePath, token })),
  );
  await send(stage.generator, { origin, requests, part: { skip: 0, count: callers }, seconds: null });
  await whileRunning(origin);
  await server.stop();
  return { startable, database: kind === 'sqlite' ? sqliteDatabase(file) : postgresDatabase(url) };
}
