import type { Command } from 'commander';
import { loadStorageConfig } from '../config/load.ts';
import { type JsonOption, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

/** `vestibule backup FILE`: a copy of everything, while the service runs. */
export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'backup <file>',
    'write a copy of the whole database to a file, also while the service runs (PostgreSQL: by pg_dump); it is as secret as the database, and the master secret is not in it',
  )
    .option('--force', 'replace a file that is there already')
    .action(async (file: string, options: JsonOption & { readonly force?: boolean }) => {
      const given = await settings.ofDatabase();
      const config = loadStorageConfig(given);
      const { backUp } = await import('../transfer.ts');
      const startedAt = performance.now();
      const { rows, ...copy } = await backUp(config, file, {
        force: options.force === true,
        environment: given,
      });
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      print(options.json, { ...copy, rows, seconds }, () => {
        const held = rows === null ? '' : `, ${rows.records} records of ${rows.consumers} callers`;
        return `The backup "${file}" is written and checked: ${copy.bytes} bytes${held}, in ${seconds} s. Everything is in it but the master secret, which has to be kept apart from it.`;
      });
    });
}
