import { Command, Help } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import * as audit from './audit.ts';
import * as backup from './backup.ts';
import * as check from './check.ts';
import * as client from './client.ts';
import * as consumer from './consumer.ts';
import * as dev from './dev.ts';
import * as doctor from './doctor.ts';
import * as explain from './explain.ts';
import * as init from './init.ts';
import * as keys from './keys.ts';
import * as migrate from './migrate.ts';
import * as move from './move.ts';
import { write } from './output.ts';
import * as restore from './restore.ts';
import * as scrub from './scrub.ts';
import * as serve from './serve.ts';
import { CommandSettings } from './settings.ts';
import * as types from './types.ts';
import * as webhook from './webhook.ts';

/** The command line. Wrong usage exits with code 2; every other failure with 1. */
export function createProgram(version: string): Command {
  const program = new Command('vestibule')
    .description(
      'The backend of a web frontend: accepts the tokens of an OpenID Connect provider, stores records of callers, and issues tokens to machine clients.',
    )
    .version(version)
    .option('--settings <file>', 'a file of settings, NAME=value lines; the environment overrides it')
    .addHelpText(
      'after',
      '\nSettings come from the environment or from --settings; docs/config.md lists\nthem. "check" shows their values, "doctor" finds what is wrong.',
    )
    // Set before the commands, which inherit it: commander's help does not mark required options.
    .configureHelp({
      optionDescription: (option) =>
        `${new Help().optionDescription(option)}${option.mandatory ? ' (needed)' : ''}`,
    })
    .configureOutput({ writeOut: (text) => write(text), writeErr: (text) => write(text, process.stderr) })
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride();
  // A file adds one command or a few, in the order of the help.
  const groups = {
    'Develop:': [dev, init, types],
    'Diagnose:': [check, doctor, explain, audit],
    'Operate:': [serve, client, keys, consumer, webhook, backup, restore, move, migrate, scrub],
  };
  const settings = new CommandSettings(() => readEnvironment(program.opts().settings));
  for (const [group, commands] of Object.entries(groups)) {
    program.commandsGroup(group);
    for (const { addTo } of commands) addTo(program, settings);
  }
  return program.commandsGroup('Diagnose:').helpCommand(true);
}
