import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPassword } from './random.ts';

/**
 * Lines of text between the event loop and a thread that gives way to it. The platform's own messages are handed over
 * under a lock. A thread of low priority wakes the event loop while it holds that lock, is put aside for it at once, and
 * the event loop then waits for the lock until the thread has its turn again: milliseconds. A socket has no such lock.
 */

/** How a thread finds the other end of its line. */
export interface LineAddress {
  readonly path: string;
  /** Any process of this machine can call, so the thread says this first. */
  readonly password: string;
}

export interface ExpectedLine {
  readonly address: LineAddress;
  readonly connected: Promise<Socket>;
  /** When the thread will not call any more. */
  close(): void;
}

/** Strangers who call and say nothing. */
const mostCallers = 8;

/** Waits for the call of one thread; to others it hangs up. */
export async function expectLine(): Promise<ExpectedLine> {
  const address = { path: newPath(), password: createPassword() };
  const { promise: connected, resolve, reject } = Promise.withResolvers<Socket>();
  // Whoever closes before that need not have waited for it.
  connected.catch(() => {});
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    if (callers.size >= mostCallers) return socket.destroy();
    callers.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => callers.delete(socket));
    socket.once('data', (said) => {
      if (said.toString('latin1') !== `${address.password}\n`) return socket.destroy();
      callers.delete(socket);
      resolve(socket);
      close();
    });
  });
  const close = () => {
    server.close();
    for (const socket of callers) socket.destroy();
    reject(new Error('The line was closed before the thread has called.'));
  };
  await new Promise<void>((listening, failed) => {
    server.on('error', failed);
    server.listen(address.path, listening);
  });
  return { address, connected, close };
}

/** On the thread. When the other side has said all, this one still may, and then ends the line. */
export function callLine({ path, password }: LineAddress): Socket {
  const socket = connect({ path, allowHalfOpen: true });
  socket.write(`${password}\n`);
  return socket;
}

/** Hands over whole lines, as many at once as have come meanwhile. */
export function onLines(socket: Socket, take: (lines: readonly string[]) => void): void {
  let begun = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    begun += chunk;
    if (!chunk.includes('\n')) return;
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    take(lines);
  });
}

/** A name that leaves nothing behind where the platform has such names, else a file that lives until the call. */
function newPath(): string {
  const name = `vestibule-${createPassword().slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}
