import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { plainSql } from './plain-sql.ts';
import type { TestProvider } from './provider.ts';
import { type DatabaseEngine, fileOf, newSettings, quickSigning, type Settings } from './service.ts';

/**
 * A database as a release has left it, with a few rows of everything: test/fixtures/schema-<version>.<engine>.sql, written by
 * test/fixtures/make.ts. The master secret that belongs to it is made here, so that none lies in a file.
 */
const masterSecret = createHash('sha512').update('the master secret of the schema fixtures').digest('base64');

/** The provider listens on another port each time, and pseudonyms are made from the issuer. */
export const issuer = 'https://login.example.org';

/** What its rows are about. */
export const subjects = { active: 'fixture somebody', suspended: 'fixture suspended' };
export const noteText = 'written by an older release';
export const clientId = 'fixture-client';

export const fixtureVersions: readonly number[] = [
  ...new Set(globSync('test/fixtures/schema-*.sql').map((file) => Number(/schema-(\d+)/.exec(file)?.[1]))),
].sort((one, other) => one - other);

/** The settings of a service on a new, empty database, to be filled from a fixture or for one. */
export function fixtureSettings(
  engine: DatabaseEngine,
  provider: TestProvider,
  overrides: Settings = {},
): Promise<Settings> {
  return newSettings(engine, {
    ...quickSigning,
    ...provider.settings,
    IDP_ISSUER: issuer,
    MASTER_SECRET: masterSecret,
    COLLECTIONS_DIR: resolve('collections'),
    ...overrides,
  });
}

export function fixtureFile(engine: DatabaseEngine, version: number): string {
  return `test/fixtures/schema-${version}.${engine}.sql`;
}

/** Fills the empty database of these settings. */
export async function loadFixture(
  engine: DatabaseEngine,
  settings: Settings,
  version = fixtureVersions.at(-1) as number,
): Promise<void> {
  const text = readFileSync(fixtureFile(engine, version), 'utf8');
  if (engine === 'postgres') {
    await plainSql(settings).query(text);
    return;
  }
  using database = new DatabaseSync(fileOf(settings));
  database.exec(text);
}
