import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandMessage, CommandOutcome } from './command-process.ts';

/** Commands that run at once run in as many processes; more than these are not kept for those to come. */
const mostKept = 6;
let started = 0;
const idle: ChildProcess[] = [];

/** Whether a command can run in a process that is kept: one that needs a Node of its own cannot. */
export function canShareProcess({ settings, parameters }: CommandMessage): boolean {
  const needsOwn =
    parameters[0] === 'serve' || Object.keys(settings).some((name) => name.startsWith('NODE_'));
  return !needsOwn && (idle.length > 0 || started < mostKept);
}

/** Runs a command in a process that runs no other meanwhile, and is kept for those to come. */
export async function runInSharedProcess(message: CommandMessage): Promise<CommandOutcome> {
  const child = idle.pop() ?? start();
  child.channel?.ref();
  try {
    const answered = once(child, 'message');
    child.send(message);
    return (await answered)[0];
  } finally {
    child.channel?.unref();
    idle.push(child);
  }
}

function start(): ChildProcess {
  started += 1;
  // What is written past process.stdout and process.stderr is seen in the output of the tests.
  const child = spawn(process.execPath, ['test/support/command-process.ts'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  // Ends pending waits for an answer; the process ends with the tests, and never before.
  child.on('exit', (code) => child.emit('error', new Error(`the process for commands has ended: ${code}`)));
  return child;
}
