import type { Command } from 'commander';
import { counted, grouped } from '../base/counted.ts';
import type { Restored } from '../operate/restore.ts';
import { collect } from './options.ts';
import { type Flags, print, printing } from './output.ts';
import { withProgress } from './progress.ts';
import type { CommandSettings } from './settings.ts';

interface Options extends Flags<'withoutErasures' | 'dryRun'> {
  readonly erasures?: readonly string[];
}

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'restore [file]',
    'restore a backup of an SQLite database to DATABASE_URL, and repeat the erasures of callers since the backup; without a file only repeat the erasures, in a database that other means restored, such as pg_restore',
  )
    .option(
      '--erasures <place>',
      'the source of erasures after the backup: a log of erasures, or the URL of the database that was in use; can be repeated',
      collect,
    )
    .option(
      '--without-erasures',
      'restore without any source of erasures: callers who were erased after the backup come back',
    )
    .option('--dry-run', 'check everything and change nothing')
    .action(async (file: string | undefined, options: Options) => {
      const config = await settings.ofStorage();
      const { restore } = await import('../operate/restore.ts');
      const restored = await withProgress((begin) =>
        restore(config, {
          file: file ?? null,
          erasures: options.erasures ?? [],
          withoutErasures: options.withoutErasures === true,
          dryRun: options.dryRun === true,
          begin,
        }),
      );
      const { dryRun, ...data } = restored;
      print(options.json, { ...data, dry_run: dryRun }, () => sentences(restored));
    });
}

function sentences({ dryRun, erasures }: Restored): string {
  const { known, unreadable, later, done } = erasures;
  const came = `${grouped(later)} of ${counted(known, 'known erasure')} came after the backup`;
  const lost =
    unreadable === 0 ? '' : ` ${counted(unreadable, 'line')} of the log of erasures cannot be read.`;
  return dryRun
    ? `The backup can be restored; ${came}.${lost} Nothing was changed.`
    : `The database is restored; ${came}, and ${counted(done, 'caller')} ${done === 1 ? 'was' : 'were'} erased again.${lost} Clients that have read events after the backup are told that their position is gone. Start the service now.`;
}
