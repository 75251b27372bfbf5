import assert from 'node:assert/strict';
import { type Ended, foldersOfPrograms, ShellCommand } from '../commands/shell-command.ts';
import type { Settings } from '../services/service.ts';

export type { Ended };

export interface Running {
  /** Its standard output so far. */
  readonly output: string;
  /** Sends SIGINT, as Ctrl-C does, and returns the outcome. */
  stop(): Promise<Ended>;
}

interface Place {
  readonly folder: string;
  /** The folder of the Node.js that is found first. */
  readonly nodeFolder: string;
  readonly settings?: Settings;
}

/** A command in the folder of an installed package, until it ends. */
export function type(command: string, place: Place): Promise<Ended> {
  return start(command, place).ended;
}

/** Runs a command to its end and expects exit code 0. */
export async function typeWell(command: string, place: Place): Promise<Ended> {
  const ended = await type(command, place);
  assert.equal(ended.code, 0, `${command}\n${ended.stdout}${ended.stderr}`);
  return ended;
}

/** Starts a command and waits for this output. */
export async function typeUntil(says: RegExp, command: string, place: Place): Promise<Running> {
  const running = start(command, place);
  if (await running.says(says)) return { output: running.stdout, stop: () => running.stop() };
  const { stdout, stderr } = await running.ended;
  throw new Error(`It has ended: ${stdout}${stderr}`);
}

function start(command: string, { folder, nodeFolder, settings = {} }: Place): ShellCommand {
  // Without the variables that npm and Node have for the test itself. Those by which npm reaches the registry stay.
  const ofTests = /^(npm_(?!config_)|INIT_CWD$|NODE_(CHANNEL|COMPILE_CACHE|TEST)|VESTIBULE_)/;
  const variables = Object.entries(process.env).filter(([name]) => !ofTests.test(name));
  const env = {
    ...Object.fromEntries(variables),
    PATH: [nodeFolder, ...foldersOfPrograms()].join(':'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    ...settings,
  };
  return new ShellCommand(command, { folder, env });
}
