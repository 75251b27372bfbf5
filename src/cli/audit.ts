import type { Command } from 'commander';
import { isoTime } from '../base/date-time.ts';
import { look } from './database.ts';
import { optionOf } from './options.ts';
import { type Flags, print, printing, table } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(program, 'audit', 'show changes of clients, keys and callers, oldest first')
    .option(
      '--since <date>',
      'only entries since this date, for example 2026-01-31 or 2026-01-31T12:00:00Z (default: all entries)',
      optionOf(date),
    )
    .action(async (options: Flags & { readonly since?: number }) => {
      const config = await settings.ofStorage();
      const entries = await look(config, ({ audit }) => audit.list(options.since ?? 0));
      const data = entries.map(({ at, ...entry }) => ({ at: isoTime(at), ...entry }));
      print(options.json, data, () =>
        data.length === 0
          ? 'There are no entries yet.'
          : table({ ...columns, DETAILS: ({ details }) => JSON.stringify(details) }, data),
      );
    });
}

const columns = { AT: 'at', ACTION: 'action', SUBJECT: 'subject', BY: 'actor', ON: 'node' } as const;

function date(text: string): number {
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Error('must be a date, for example 2026-01-31');
  return time;
}
