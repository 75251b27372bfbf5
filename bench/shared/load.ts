import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cores, findProgram, loadCore, type Program, runForResult, script } from './processes.ts';

export type LoadGenerator = 'wrk' | 'autocannon';

/** Kept open for the whole of a load; a few for each core would do, more only make the queue longer. */
export const connections = 32;

/** The load generators ask for a few requests more than they count: those in flight when they stop. */
export const spareRequests = 2 * connections;

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as a bearer token; none where it is missing. */
  readonly token?: string;
  /** A DPoP proof, with which the token is sent as a bound one. */
  readonly proof?: string;
  readonly body?: string;
}

/** Requests in a file, one a line: both load generators walk through it. */
export interface RequestFile {
  readonly path: string;
  readonly count: number;
}

export interface Load {
  readonly origin: string;
  readonly requests: RequestFile;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The part of the file that is sent; all of it unless told. */
  readonly part?: { readonly skip: number; readonly count: number };
  /** The requests go round for so long; null sends each of them once and stops. */
  readonly seconds: number | null;
  /** Not more than so many; unless told, each connection sends the next request when it has its answer. */
  readonly perSecond?: number;
  /** So many kept open; `connections` unless told. */
  readonly connections?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A load as the program that sends it is told, every part of it named. */
export interface LoadWalk {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly skip: number;
  readonly count: number;
  readonly seconds: number | null;
  readonly perSecond: number | null;
  readonly connections: number;
}

export function chooseLoadGenerator(wanted: LoadGenerator | null): LoadGenerator {
  return wanted ?? (findProgram('wrk') === null ? 'autocannon' : 'wrk');
}

/** A method, a path, a token, a proof and a body, with tabs between them. */
export function writeRequests(path: string, requests: readonly Request[]): RequestFile {
  const lines = requests.map(({ method, path: at, token = '', proof = '', body = '' }) =>
    [method, at, token, proof, body].join('\t'),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  return { path, count: requests.length };
}

/** Sends a load and answers with what was seen of it. One answer that is an error spoils all the others. */
export async function send(
  generator: LoadGenerator,
  load: Load,
  cores: Cores = loadCore,
): Promise<LoadResult> {
  const { origin, requests: file, headers = {}, seconds, perSecond = null } = load;
  const { skip, count } = load.part ?? { skip: 0, count: file.count };
  if (skip + count > file.count) throw new Error('The load asks for more requests than there are.');
  const open = load.connections ?? connections;
  const walk = { origin, path: file.path, headers, skip, count, seconds, perSecond, connections: open };
  // Bounded in time even if the number of requests ends it: every peer answers at least 100 requests a second.
  const limitSeconds = (seconds ?? Math.ceil(count / 100)) + 30;
  const program =
    generator === 'wrk'
      ? wrk(walk, limitSeconds)
      : script(join(import.meta.dirname, 'load-autocannon.ts'), walk);
  type Printed = LoadResult & { refused: number; failed: number };
  const { refused, failed, ...result } = await runForResult<Printed>(program, limitSeconds + 10, cores);
  if (refused > 0 || failed > 0 || result.requests === 0) {
    throw new Error(
      `Not a measurement: of ${result.requests} requests ${refused} were answered with an error and ${failed} failed.`,
    );
  }
  return result;
}

function wrk(walk: LoadWalk, limitSeconds: number): Program {
  const { origin, path, headers, skip, count, seconds, perSecond, connections: open } = walk;
  const duration = `${seconds ?? limitSeconds}s`;
  const settings = ['--threads', '1', '--connections', String(open), '--duration', duration];
  const walked = [path, skip, count, seconds === null ? 'once' : 'again', perSecond ?? 'unpaced'].map(String);
  const shared = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const file = join(import.meta.dirname, 'load.lua');
  return {
    command: findProgram('wrk') ?? 'wrk',
    parameters: [...settings, '--timeout', '10s', '--script', file, origin, '--', ...walked, ...shared],
    environment: {},
  };
}
