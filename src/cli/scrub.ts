import type { Command } from 'commander';
import { administer } from './database.ts';
import { type JsonOption, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'scrub',
    'write the SQLite file anew when a caller was erased since the last time; writes wait meanwhile',
  ).action(async (options: JsonOption) => {
    const config = await settings.ofStorage();
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
  scrubbed: 'The file is written anew. No byte is left in it of anybody who was erased.',
  nothing_to_do: 'There is nothing to do: nobody was erased since the file was last written anew.',
  still_due:
    'The file is written anew, but somebody reads what was there before, or was erased meanwhile. Run it once more.',
};
