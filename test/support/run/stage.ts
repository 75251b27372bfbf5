import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParts } from './parts.ts';

/** The parts of `npm test` that a program beside it needs: a folder, and PostgreSQL on demand. */
export async function openStage(): Promise<{ close(): Promise<void> }> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'vestibule-'));
  // PostgreSQL may run as a user of its own, who has to get to its folder.
  chmodSync(runDirectory, 0o711);
  const parts = await startParts(runDirectory, { isDurable: true });
  process.env.VESTIBULE_TEST = JSON.stringify({ runDirectory, partsUrl: parts.url });
  return {
    async close() {
      await parts.stop();
      rmSync(runDirectory, { recursive: true, force: true });
    },
  };
}
