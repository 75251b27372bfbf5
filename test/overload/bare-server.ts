import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { serviceCore } from '../support/load/pinned-service.ts';

/**
 * What `node:http` alone makes of the same flood: it reads each request and answers 503. No service on it can refuse
 * sooner, however little it does.
 */
const file = fileURLToPath(import.meta.url);

export async function startBare(): Promise<{ origin: string; process: ChildProcess }> {
  const child = spawn('taskset', ['-c', serviceCore, process.execPath, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { origin: String(line).trim(), process: child };
}

if (argv[1] === file) {
  const text = JSON.stringify({ title: 'refused', status: 503 });
  const head = ['content-type', 'application/problem+json', 'content-length', String(text.length)];
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(503, [...head, 'retry-after', '1']).end(text));
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
