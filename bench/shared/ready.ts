import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './ask.ts';
import { type Cores, type Program, type RunningServer, serverCore, startServer } from './processes.ts';

const limitMs = 60_000;

/** Starts a server and waits until it is ready. What it prints goes into its folder. */
export async function startReady(
  name: string,
  program: Program,
  folder: string,
  isReady: () => Promise<boolean>,
  cores: Cores = serverCore,
): Promise<RunningServer> {
  const startedAt = performance.now();
  const server = startServer(program, join(folder, 'output.log'), cores);
  // A server that cannot be asked yet is not ready.
  while (!(await isReady().catch(() => false))) {
    const words = server.lastWords();
    if (words !== null) throw new Error(`${name} ended before it was ready: ${words}`);
    if (performance.now() - startedAt > limitMs) {
      await server.stop();
      throw new Error(`${name} is not ready after ${limitMs / 1000} seconds.`);
    }
    await sleep(5);
  }
  return server;
}

/** Ready is who answers this with 200. */
export function answers(url: string, headers: Readonly<Record<string, string>> = {}): () => Promise<boolean> {
  return async () => (await ask(url, headers)).status === 200;
}
