import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandMessage, CommandOutcome } from './command-process.ts';

let shared: ChildProcess | undefined;
let isBusy = false;

/** Whether a command can share a process: one at a time, and none that needs a Node of its own. */
export function canShareProcess({ settings, parameters }: CommandMessage): boolean {
  const needsOwn =
    parameters[0] === 'serve' || Object.keys(settings).some((name) => name.startsWith('NODE_'));
  return !isBusy && !needsOwn;
}

/** Runs a command in the process that this test file has for its commands. */
export async function runInSharedProcess(message: CommandMessage): Promise<CommandOutcome> {
  isBusy = true;
  shared ??= start();
  const child = shared;
  child.channel?.ref();
  try {
    const answered = once(child, 'message');
    child.send(message);
    return (await answered)[0];
  } finally {
    child.channel?.unref();
    isBusy = false;
  }
}

function start(): ChildProcess {
  // What is written past process.stdout and process.stderr is seen in the output of the tests.
  const child = spawn(process.execPath, ['test/support/command-process.ts'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  // Ends whoever waits for an answer; the process ends with the tests, and never before.
  child.on('exit', (code) => child.emit('error', new Error(`the process for commands has ended: ${code}`)));
  return child;
}
