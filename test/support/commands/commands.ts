import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandMessage } from './command-process.ts';
import type { Outcome } from './outcome.ts';

const maxKept = 6;
let started = 0;
const idle: ChildProcess[] = [];

/** True if a command can run in a kept process, without a Node.js of its own. */
export function canShareProcess({ settings, parameters }: CommandMessage): boolean {
  const needsOwn =
    parameters[0] === 'serve' || Object.keys(settings).some((name) => name.startsWith('NODE_'));
  return !needsOwn && (idle.length > 0 || started < maxKept);
}

export async function runInSharedProcess(message: CommandMessage): Promise<Outcome> {
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
  const child = spawn(process.execPath, ['test/support/commands/command-process.ts'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  // A pending wait fails only if the process ends, which it does after the tests.
  child.on('exit', (code) => child.emit('error', new Error(`the process for commands has ended: ${code}`)));
  return child;
}
