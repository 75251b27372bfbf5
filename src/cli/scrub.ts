import type { Command } from 'commander';
import { administer } from './database.ts';
import { type Flags, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'scrub',
    'rewrite the SQLite file if records were deleted since the last rewrite; writes wait meanwhile',
  ).action(async (options: Flags) => {
    const config = await settings.ofStorage();
    const outcome = await administer(config, 'scrub', async ({ storage: { records } }) => {
      if ((await records.copiesLeft()) === 'nothing') return 'nothing_to_do';
      await records.scrub('whatever it takes');
      return (await records.copiesLeft()) === 'nothing' ? 'scrubbed' : 'still_due';
    });
    print(options.json, { outcome }, () =>
      config.databaseUrl.engine === 'postgres' ? onPostgres : sentences[outcome],
    );
  });
}

const onPostgres =
  'There is nothing to do: the database is PostgreSQL, and this command is for SQLite files. See docs/operations.md for PostgreSQL.';

const sentences = {
  scrubbed: 'The file is rewritten. It holds no copies of deleted records or erased callers.',
  nothing_to_do: 'There is nothing to do: nothing was deleted since the file was last rewritten.',
  still_due:
    'The file is rewritten, but a reader still uses the old content, or something was deleted meanwhile. Run the command again.',
};
