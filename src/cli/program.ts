import { Command } from 'commander';
import { readEnvironment } from '../config/environment.ts';

/** The command line. Wrong usage ends with exit code 2; everything else that is wrong with 1. */
export async function createProgram(version: string): Promise<Command> {
  const program = new Command('vestibule')
    .description('The backend between a web frontend and the house: people come in, bots stay outside.')
    .version(version)
    .option('--settings <file>', 'a file of NAME=value lines; the environment wins over it')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride();
  // A command is a file and a line here, in the order of the help.
  const commands = await Promise.all([
    import('./serve.ts'),
    import('./dev.ts'),
    import('./check.ts'),
    import('./doctor.ts'),
    import('./explain.ts'),
    import('./client.ts'),
    import('./keys.ts'),
    import('./consumer.ts'),
    import('./audit.ts'),
    import('./scrub.ts'),
  ]);
  for (const { addTo } of commands) addTo(program, () => readEnvironment(program.opts().settings));
  return program;
}
