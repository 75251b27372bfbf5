import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { OperatorError, Refusal } from './base/errors.ts';
import { write } from './cli/output.ts';
import { createProgram } from './cli/program.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

try {
  await createProgram(version).parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints one clear sentence to standard error, never a stack trace. */
function report(error: unknown): number {
  // The parser has printed its own sentence. Help and version end here, too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  write(`vestibule: ${sentenceOf(error)}\n`, process.stderr);
  return 1;
}

function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof Refusal) return `${error.message} (${error.options.detail ?? error.code})`;
  return `This is a bug, please report it: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
}
