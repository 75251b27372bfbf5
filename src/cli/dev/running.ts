import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/folder.ts';
import type { Environment } from '../../config/load.ts';
import { dataFolder, loopback } from './environment.ts';

const file = `${dataFolder}/dev.json`;
/** Where the provider of `dev` answers the other commands. */
export const controlPath = '/dev';
const timeoutMs = 5_000;

/** What a running `dev` leaves for the other commands, for as long as it runs. */
export interface RunningDev {
  /** Answers whether `dev` still runs, and gives tokens; needs the secret, which is new in each run. */
  readonly control: string;
  readonly secret: string;
  /** Those that the service runs with. */
  readonly settings: Environment;
}

/** Readable for its owner only. Returns a function that removes it. */
export function writeRunningFile(running: RunningDev): () => void {
  const text = `${JSON.stringify(running, null, 2)}\n`;
  makePrivateFolder(dataFolder);
  // The folder has the master secret and all records, which must not be committed.
  writeFileSync(`${dataFolder}/.gitignore`, '*\n');
  // Writing to an old file would keep its mode.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  // The file may be that of a second `dev` by now.
  return () => {
    if (readRunningFile() === text) rmSync(file, { force: true });
  };
}

export interface NoRunningDev {
  /** Why there is none. */
  readonly absent: string;
  /** A killed `dev` leaves its file behind. */
  readonly isLeftOver: boolean;
}

/** The `dev` that runs in this folder. */
export async function findRunningDev(): Promise<RunningDev | NoRunningDev> {
  const text = readRunningFile();
  if (text === null) {
    const absent = `no "npx vestibule dev" runs in this folder (there is no ${file})`;
    return { absent, isLeftOver: false };
  }
  const running = parse(text);
  const answer = running && (await ask(running, 'GET', '').catch(() => null));
  if (running && answer?.status === 204) return running;
  return { absent: `the "npx vestibule dev" that left ${file} does not run any more`, isLeftOver: true };
}

/** An access token of the provider for a user. */
export async function requestUserToken(user: string, scopes: readonly string[]): Promise<string> {
  const running = await findRunningDev();
  if ('absent' in running) {
    throw new OperatorError(
      `A token comes from a running "npx vestibule dev", and ${running.absent}. Start it here, in another shell.`,
    );
  }
  const query = new URLSearchParams([['user', user], ...scopes.map((scope) => ['scope', scope])]);
  const answer = await ask(running, 'POST', `/token?${query}`);
  const text = await answer.text();
  if (answer.status === 200) return text;
  throw new OperatorError(`There is no token for "${user}": ${text}`);
}

function ask({ control, secret }: RunningDev, method: string, rest: string): Promise<Response> {
  return fetch(`${control}${rest}`, {
    method,
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  });
}

function readRunningFile(): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Null for a file that names another machine: it may have been copied with the folder. */
function parse(text: string): RunningDev | null {
  try {
    const running: RunningDev = JSON.parse(text);
    return URL.parse(running.control)?.hostname === loopback ? running : null;
  } catch {
    return null;
  }
}
