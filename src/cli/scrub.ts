import type { Command } from 'commander';
import { loadStorageConfig } from '../config/load.ts';
import { administer } from './database.ts';
import { type JsonOption, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

/** `vestibule scrub`: rewrites the SQLite file, so that no erased data is left in it. */
export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'scrub',
    'write the SQLite file anew when a caller was erased since the last time; writes wait meanwhile',
  ).action(async (options: JsonOption) => {
    const config = loadStorageConfig(await settings.ofDatabase());
    const outcome = await administer(config, 'scrub', async ({ storage: { records } }) => {
      if (!(await records.isScrubDue())) return 'nothing_to_do';
      await records.scrub('whatever it takes');
      return (await records.isScrubDue()) ? 'still_due' : 'scrubbed';
    });
    print(options.json, { outcome }, () =>
      config.databaseUrl.engine === 'postgres' ? onPostgres : sentences[outcome],
    );
  });
}

const onPostgres =
  'There is nothing to do: the database is PostgreSQL, and this is for SQLite files. docs/operations.md tells what to do there.';

const sentences = {
  scrubbed: 'The file is rewritten. Nothing of erased callers is left in it.',
  nothing_to_do: 'There is nothing to do: no caller was erased since the file was last rewritten.',
  still_due:
    'The file is rewritten, but another process still reads the old content, or a caller was erased meanwhile. Run it once more.',
};
