import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/ports.ts';
import { startPostgres } from '../support/postgres.ts';
import type { DatabaseEngine } from '../support/service.ts';
import type { Surroundings } from '../support/surroundings.ts';

/** What a program beside `npm test` needs of what that one starts: a folder and, if it is asked for, PostgreSQL. */
export async function openStage(database: DatabaseEngine): Promise<{ close(): Promise<void> }> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'vestibule-'));
  // PostgreSQL may run as a user of its own, who has to get to its folder.
  chmodSync(runDirectory, 0o711);
  const postgres =
    database === 'postgres' ? await startPostgres(join(runDirectory, 'postgres'), await freePort()) : null;
  const surroundings: Surroundings = {
    runDirectory,
    postgresUrl: postgres?.url ?? '',
    mockOrigin: '',
    oidcOrigin: '',
    oidcClient: { id: '', secret: '' },
    audience: 'https://api.vestibule.example',
  };
  process.env.VESTIBULE_TEST = JSON.stringify(surroundings);
  return {
    async close() {
      await postgres?.stop();
      rmSync(runDirectory, { recursive: true, force: true });
    },
  };
}
