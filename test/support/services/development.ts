import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { AppFolder } from '../packages/app-folder.ts';
import { freePort } from '../run/ports.ts';
import { part } from '../run/surroundings.ts';
import type { Settings } from './service.ts';

export type Development = Awaited<ReturnType<typeof startDevelopment>>;

/** A running `vestibule dev`, and its output up to "Stop with Ctrl-C". */
export async function startDevelopment(
  folder: string,
  settings: Settings,
  /** Options of all commands, before the command name. */
  options: readonly string[] = [],
  /** Options of this command. */
  own: readonly string[] = [],
) {
  await part('frontend');
  const [port, providerPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--provider-port', String(providerPort)];
  const parameters = [resolve('bin/vestibule.js'), ...options, 'dev', ...ports, ...own];
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...settings },
  });
  const exited = new Promise<number | null>((done) => child.on('close', done));
  child.stdout.pipe(createWriteStream(`${folder}/${port}.out`));
  const { promise, resolve: started, reject } = Promise.withResolvers<string>();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (stdout.includes('Stop with Ctrl-C.')) started(stdout);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  exited.then(() => reject(new Error(`It ended before it said welcome: ${stderr}`)));
  /** SIGINT, as Ctrl-C sends it; the exit code. */
  const stop = () => {
    child.kill('SIGINT');
    return exited;
  };
  const welcome = await promise;
  const printed = () => stdout + stderr;
  return { process: child, folder, port, providerPort, welcome, printed, stop };
}

/** A script in the folder of a reader, where `npx vestibule` is this project. */
export function shellIn(folder: string, script: string): Promise<string> {
  const npx = `npx() { shift; '${process.execPath}' '${resolve('bin/vestibule.js')}' "$@"; }`;
  return new AppFolder({ path: folder }).run(`${npx}\n${script}`);
}

export async function tokenFor({ folder }: Development, user: string): Promise<string> {
  const token = (await shellIn(folder, `npx vestibule dev token --user ${user}`)).trim();
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  return token;
}

export async function call(
  { port }: Development,
  token: string,
  path: string,
  options: RequestInit = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`http://127.0.0.1:${port}/api/consumer/v1${path}`, { ...options, headers });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

export async function callAs(dev: Development, user: string, path: string, options: RequestInit = {}) {
  return call(dev, await tokenFor(dev, user), path, options);
}
