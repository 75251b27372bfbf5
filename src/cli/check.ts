import type { Command } from 'commander';
import { readTls } from '../config/files.ts';
import { loadConfig, settingText } from '../config/load.ts';
import { environmentName, settings } from '../config/settings.ts';
import { print, table } from './output.ts';
import type { Tools } from './tools.ts';

/** `vestibule check`: reads the settings as `serve` would, changes nothing and starts nothing. */
export function addCheckCommand(program: Command, tools: Tools): void {
  program
    .command('check')
    .description('read the settings, say what is wrong, show what is in force')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      const environment = tools.environment();
      readTls(loadConfig(environment));
      const inForce = Object.entries(settings).map(([key, setting]) => {
        const text = settingText(key, setting, environment);
        const isDefault = environment[environmentName(key)] === undefined;
        return {
          name: environmentName(key),
          value: setting.secret && !isDefault && text !== null ? '(secret)' : text,
          from: isDefault ? ('default' as const) : ('set' as const),
        };
      });
      print(options.json, { ok: true, settings: inForce }, () =>
        [
          'The settings are in order.',
          '',
          table(
            ['SETTING', 'FROM', 'VALUE'],
            inForce.map(({ name, from, value }) => [name, from, value ?? '']),
          ),
        ].join('\n'),
      );
    });
}
