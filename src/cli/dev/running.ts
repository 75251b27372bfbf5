import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files.ts';
import type { Environment } from '../../config/load.ts';
import { dataFolder, loopback } from './environment.ts';

const file = `${dataFolder}/dev.json`;
/** Where the provider of `dev` answers the other commands. */
export const controlPath = '/dev';
const patienceMs = 5_000;

/** The file that a running `dev` writes for the other commands. */
export interface RunningDev {
  /** The URL for status and tokens; it needs the secret, which is new for each run. */
  readonly control: string;
  readonly secret: string;
  readonly settings: Environment;
}

/** Writes the file for its owner only. Returns a function that removes it. */
export function writeRunningFile(running: RunningDev): () => void {
  const text = `${JSON.stringify(running, null, 2)}\n`;
  makePrivateFolder(dataFolder);
  // The folder holds the master secret and records of users, so git must ignore it.
  writeFileSync(`${dataFolder}/.gitignore`, '*\n');
  // An existing file may have another mode, which writing would keep.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  // A second `dev` that was started in this folder since then has written its own file.
  return () => {
    if (readRunningFile() === text) rmSync(file, { force: true });
  };
}

export type NoRunningDev = Exclude<Awaited<ReturnType<typeof findRunningDev>>, RunningDev>;

/** `isLeftOver`: a killed `dev` has left its file, and does not answer. */
export async function findRunningDev() {
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
      `"dev token" needs a running "npx vestibule dev", and ${running.absent}. Start it in this folder, in another shell.`,
    );
  }
  const query = new URLSearchParams([['user', user], ...scopes.map((scope) => ['scope', scope])]);
  const answer = await ask(running, 'POST', `/token?${query}`);
  const text = await answer.text();
  if (answer.status === 200) return text;
  throw new OperatorError(`"npx vestibule dev" issued no token for "${user}": ${text}`);
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

/** Null unless a `dev` on this machine has written it: the folder may be a copy from elsewhere. */
function parse(text: string): RunningDev | null {
  try {
    const running: RunningDev = JSON.parse(text);
    return URL.parse(running.control)?.hostname === loopback ? running : null;
  } catch {
    return null;
  }
}
