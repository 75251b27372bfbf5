import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/folder.ts';
import type { Environment } from '../../config/load.ts';
import { dataFolder, loopback } from './environment.ts';

const file = `${dataFolder}/dev.json`;
/** Where the provider of `dev` answers the other commands. */
export const controlPath = '/dev';
const patienceMs = 5_000;

/** What a running `dev` leaves for the other commands, for as long as it runs. */
export interface RunningDev {
  /** Where it is asked whether it still runs, and for tokens; only with the secret, which is a new one each time. */
  readonly control: string;
  readonly secret: string;
  readonly settings: Environment;
}

/** For its owner only. Gives what takes it away again. */
export function writeRunningFile(running: RunningDev): () => void {
  const text = `${JSON.stringify(running, null, 2)}\n`;
  makePrivateFolder(dataFolder);
  // Beside this file are the master secret and everybody's records: nobody should commit them by mistake.
  writeFileSync(`${dataFolder}/.gitignore`, '*\n');
  // One that is there may have another mode, which writing to it would keep.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  // A second one that was started in this folder since then has left its own.
  return () => {
    if (readRunningFile() === text) rmSync(file, { force: true });
  };
}

export interface NoRunningDev {
  readonly absent: string;
  /** One that was killed has left its file, and does not answer. */
  readonly isLeftOver: boolean;
}

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
    signal: AbortSignal.timeout(patienceMs),
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

/** Null for what no `dev` of this machine has written: it may have come with a folder from elsewhere. */
function parse(text: string): RunningDev | null {
  try {
    const running: RunningDev = JSON.parse(text);
    return URL.parse(running.control)?.hostname === loopback ? running : null;
  } catch {
    return null;
  }
}
