import type { Command } from 'commander';
import { counted } from '../base/counted.ts';
import { type Flags, print, printing } from './output.ts';
import { withProgress } from './progress.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'backup <file>',
    'write a copy of the SQLite database to a file, also while the service runs; the copy is as secret as the database, and does not contain the master secret',
  )
    .option('--force', 'replace an existing file')
    .action(async (file: string, options: Flags<'force'>) => {
      const config = await settings.ofStorage();
      const { backUp } = await import('../operate/backup.ts');
      const startedAt = performance.now();
      const copy = await withProgress((begin) => backUp(config, file, options.force === true, begin));
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      const { bytes, rows } = copy;
      print(
        options.json,
        { ...copy, seconds },
        () =>
          `The backup "${file}" is written and checked: ${counted(bytes, 'byte')}, ${counted(rows.records ?? 0, 'record')} of ${counted(rows.consumers ?? 0, 'caller')}, in ${seconds} s. It contains everything except the master secret. Keep the master secret in another place.`,
      );
    });
}
