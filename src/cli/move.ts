import type { Command } from 'commander';
import { OperatorError } from '../base/errors.ts';
import { readMasterSecret } from '../config/files.ts';
import { loadStorageConfig } from '../config/load.ts';
import { type Flags, print, printing, table } from './output.ts';
import { withProgress } from './progress.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'move',
    'move everything from the SQLite file that DATABASE_URL names to an empty PostgreSQL database; stop the service first; after an interruption, run it again',
  )
    .option(
      '--to <url>',
      'the URL of the PostgreSQL database; put its password into PGPASSWORD, which other users cannot see',
    )
    .action(async (options: Flags & { readonly to?: string }) => {
      const given = await settings.ofDatabase();
      const from = loadStorageConfig(given);
      const { move } = await import('../operate/move.ts');
      if (options.to === undefined)
        throw new OperatorError(
          'The target is missing. Name it: npx vestibule move --to postgres://vestibule@db.example.org/vestibule',
        );
      // Parsed like DATABASE_URL.
      const to = loadStorageConfig({
        ...given,
        DATABASE_URL: options.to,
        MASTER_SECRET: readMasterSecret(from),
        MASTER_SECRET_FILE: undefined,
      });
      const moved = await withProgress((begin) => move(from, to, begin));
      print(options.json, moved, () =>
        [
          table({ TABLE: 'table', ROWS: 'rows' }, moved.tables),
          '',
          'The move is complete: all rows of both databases were compared and are equal. The SQLite file is marked as moved, and the service no longer uses it.',
          `Now set DATABASE_URL to the new database, MASTER_SECRET_FILE to the master secret of the old one${from.masterSecret === null && from.masterSecretFile === null ? ` ("${moved.from}.secret")` : ''} and ERASURE_LOG to its log of erasures. Then start the service.`,
        ].join('\n'),
      );
    });
}
