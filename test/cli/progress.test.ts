import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Begin } from '../../src/base/progress.ts';
import { withProgress } from '../../src/cli/progress.ts';
import { migrateDatabase } from '../../src/compose/open-storage.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { backUp } from '../../src/operate/backup.ts';
import { move } from '../../src/operate/move.ts';
import { restore } from '../../src/operate/restore.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { addClient, fileOf, newSettings } from '../support/services/service.ts';

describe('long work', () => {
  /** What 25 seconds of work print, with a step for each of these moments. */
  async function printed(isTTY: boolean): Promise<string[]> {
    const clock = new MovableClock();
    clock.holdTime(true);
    const parts: string[] = [];
    const output = { isTTY, columns: 60, write: (text: string) => parts.push(text) > 0 };
    const work = async (begin: Begin) => {
      let done = 0;
      begin('Copying records', () => ({ done, total: 4_000, unit: 'row' }));
      for (const now of [1_000, 2_000]) {
        done = now;
        clock.advance(10_000);
        await turn();
      }
      begin('Checking');
      clock.advance(10_000);
      await turn();
    };
    await withProgress(work, output, clock);
    clock.advance(60_000);
    await turn();
    return parts;
  }
  const lines = [
    'Copying records: 1,000 of 4,000 rows (25 %), 30 s left',
    'Copying records: 2,000 of 4,000 rows (50 %), 20 s left',
    'Checking, 10 s so far',
  ];

  it('is a line every ten seconds in a log', async () => {
    const logged = await printed(false);
    const expected = lines.map((line) => `${line}\n`);
    assert.deepEqual(logged, expected);
  });

  it('is one line of a terminal, which is written over and erased at the end', async () => {
    const parts = (await printed(true)).map((part) => part.replace('\r\u001b[2K', '>'));
    assert.deepEqual(parts.slice(0, 2), ['>Copying records', `>${lines[0]}`]);
    assert.ok(parts.includes('>Checking'));
    assert.equal(parts.at(-1), '>');
    assert.equal(parts.join('').includes('\n'), false);
  });

  it('a line that is longer than the terminal is cut, so that it can be written over', async () => {
    const parts: string[] = [];
    const output = { isTTY: true, columns: 10, write: (text: string) => parts.push(text) > 0 };
    await withProgress(async (begin) => begin('Copying records\n'), output);
    assert.equal(parts[0], '\r\u001b[2KCopying r');
  });

  it('names each table or step, and how many rows it has', async () => {
    const settings = await newSettings('sqlite', {});
    await addClient(settings, 'machine');
    const config = loadStorageConfig(settings);
    const begun = async (work: (begin: Begin) => Promise<unknown>) => {
      const steps = new Map<string, Parameters<Begin>[1]>();
      await work((what, measure) => steps.set(what, measure));
      return steps;
    };
    const file = `${newDirectory()}/backup.db`;
    const backup = await begun((begin) => backUp(config, file, false, begin));
    assert.ok(existsSync(file) && backup.has('Copying the database') && backup.has('Checking the copy'));
    const options = { file, erasures: [], withoutErasures: true, dryRun: false };
    const target = `sqlite:${newDirectory()}/restored.db`;
    const restored = loadStorageConfig({
      ...settings,
      DATABASE_URL: target,
      MASTER_SECRET_FILE: `${fileOf(settings)}.secret`,
    });
    const steps = await begun((begin) => restore(restored, { ...options, begin }));
    assert.ok(steps.has('Checking the backup') && steps.has('Copying the backup'));
    const url = await createDatabase();
    const moved = await begun((begin) =>
      move(config, { ...config, databaseUrl: { engine: 'postgres', url } }, begin),
    );
    for (const what of ['Copying clients', 'Comparing clients'])
      assert.deepEqual(await moved.get(what)?.(), { done: 1, total: 1, unit: 'row' });
    const empty = loadStorageConfig({ ...settings, DATABASE_URL: `sqlite:${newDirectory()}/new.db` });
    const migrated = await begun((begin) => migrateDatabase(empty, 'expand', { begin }));
    assert.match([...migrated.keys()].join(), /^Migrating the schema to version \d+/);
  });
});
