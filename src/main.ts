import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { OperatorError, Refusal } from './base/errors.ts';
import { createProgram } from './cli/program.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Each part is loaded by the commands that need it: help and mistakes in the settings should not wait for any. */
const app = () => import('./app.ts');
const administration = () => import('./administration.ts');
const inspection = () => import('./inspection.ts');
const parts = {
  startApp: async (config) => (await app()).startApp(config),
  openAdministration: async (config, command) => (await administration()).openAdministration(config, command),
  readDeclaredCollections: async (config) => (await administration()).readDeclaredCollections(config),
  readStorage: async (config, work) => (await inspection()).readStorage(config, work),
  listClients: async (config) => (await inspection()).listClients(config),
  judgeCollections: async (config) => (await inspection()).judgeCollections(config),
  storedKeySet: async (config) => (await inspection()).storedKeySet(config),
  inspectProvider: async (config, url) => (await inspection()).inspectProvider(config, url),
  inspectDatabase: async (config, areDeclared) => (await inspection()).inspectDatabase(config, areDeclared),
  examineCertificate: async (pem, host) => (await inspection()).examineCertificate(pem, host),
  explainToken: async (config, token) => (await inspection()).explainToken(config, token),
} satisfies Parameters<typeof createProgram>[1];

try {
  await createProgram(version, parts).parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** One clear sentence on standard error and an exit code, never a stack trace. */
function report(error: unknown): number {
  // The parser has printed its own sentence. Help and version end here too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`vestibule: ${sentenceOf(error)}\n`);
  return 1;
}

function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof Refusal) return `${error.message} (${error.options.detail ?? error.code})`;
  return `This is a bug, please report it: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
}
