import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { loadStorageConfig } from '../config/load.ts';
import { print, table } from './output.ts';
import type { Tools } from './tools.ts';

interface AuditOptions {
  readonly since: number;
  readonly json?: boolean;
}

/** `vestibule audit`: what was done to clients, keys and callers, by which command or process, and when. */
export function addAuditCommand(program: Command, tools: Tools): void {
  program
    .command('audit')
    .description('show what was done to clients, keys and callers, oldest first')
    .option('--since <date>', 'from then on, for example 2026-01-31 or 2026-01-31T12:00:00Z', date, 0)
    .option('--json', 'print JSON')
    .action(async (options: AuditOptions) => {
      const config = loadStorageConfig(tools.environment());
      const entries = await tools.readStorage(config, ({ audit }) => audit.list(options.since));
      const data = entries.map(({ at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry }));
      print(options.json, data, () =>
        data.length === 0
          ? 'Nothing has been done yet.'
          : table(
              ['AT', 'ACTION', 'SUBJECT', 'BY', 'ON', 'DETAILS'],
              data.map(({ at, action, subject, actor, node, details }) => {
                return [at, action, subject, actor, node, JSON.stringify(details)];
              }),
            ),
      );
    });
}

function date(text: string): number {
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Expected a date, for example 2026-01-31.');
  return time;
}
