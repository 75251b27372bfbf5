import { Command } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import { addAuditCommand } from './audit.ts';
import { addCheckCommand } from './check.ts';
import { addClientCommand } from './client.ts';
import { addConsumerCommand } from './consumer.ts';
import { addDevCommand } from './dev.ts';
import { addDoctorCommand } from './doctor.ts';
import { addExplainCommand } from './explain.ts';
import { addKeysCommand } from './keys.ts';
import { addScrubCommand } from './scrub.ts';
import { addServeCommand } from './serve.ts';
import type { Tools } from './tools.ts';

/** The command line. Wrong usage ends with exit code 2; everything else that is wrong with 1. */
export function createProgram(version: string, parts: Omit<Tools, 'environment'>): Command {
  const program = new Command('vestibule')
    .description('The backend between a web frontend and the house: people come in, bots stay outside.')
    .version(version)
    .option('--settings <file>', 'a file of NAME=value lines; the environment wins over it')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride();
  const tools: Tools = { ...parts, environment: () => readEnvironment(program.opts().settings) };
  addServeCommand(program, tools);
  addDevCommand(program, tools);
  addCheckCommand(program, tools);
  addDoctorCommand(program, tools);
  addExplainCommand(program, tools);
  addClientCommand(program, tools);
  addKeysCommand(program, tools);
  addConsumerCommand(program, tools);
  addAuditCommand(program, tools);
  addScrubCommand(program, tools);
  return program;
}
