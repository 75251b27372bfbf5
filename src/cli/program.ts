import { Command, Help } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import { write } from './output.ts';
import { CommandSettings } from './settings.ts';

/** The command line. Wrong usage ends with exit code 2; everything else that is wrong with 1. */
export async function createProgram(version: string): Promise<Command> {
  const program = new Command('vestibule')
    .description(
      'The backend of a web frontend: takes the tokens of an OpenID Connect provider, keeps the records of callers, and issues tokens to machine clients.',
    )
    .version(version)
    .option('--settings <file>', 'a file of settings, NAME=value lines; the environment wins over it')
    .addHelpText(
      'after',
      '\nSettings come from the environment or from --settings; docs/config.md lists\nthem. "check" shows what is in force, "doctor" what is wrong.',
    )
    // For all commands: by itself the help tells options that are needed from others only when one is missing.
    .configureHelp({
      optionDescription: (option) =>
        `${new Help().optionDescription(option)}${option.mandatory ? ' (needed)' : ''}`,
    })
    .configureOutput({ writeOut: (text) => write(text), writeErr: (text) => write(text, process.stderr) })
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride();
  // A command is a file and a line here, in the order of the help.
  const commands = await Promise.all([
    import('./serve.ts'),
    import('./dev.ts'),
    import('./init.ts'),
    import('./check.ts'),
    import('./types.ts'),
    import('./schema.ts'),
    import('./doctor.ts'),
    import('./explain.ts'),
    import('./client.ts'),
    import('./keys.ts'),
    import('./consumer.ts'),
    import('./webhook.ts'),
    import('./audit.ts'),
    import('./scrub.ts'),
    import('./backup.ts'),
    import('./restore.ts'),
    import('./move.ts'),
    import('./migrate.ts'),
  ]);
  const settings = new CommandSettings(() => readEnvironment(program.opts().settings));
  for (const { addTo } of commands) addTo(program, settings);
  return program;
}
