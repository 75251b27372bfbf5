import { join } from 'node:path';
import { type Cores, findProgram, loadCore, type Program, runForResult, script } from './processes.ts';
import type { TokenFile } from './tokens.ts';

export type LoadGenerator = 'wrk' | 'autocannon';

/** Kept open for the whole of a load; a few for each core would do, more only make the queue longer. */
export const connections = 32;

/** The load generators ask for a few tokens more than they count: those in flight when they stop. */
export const spareTokens = 2 * connections;

export interface Load {
  readonly url: string;
  readonly tokens: TokenFile;
  /** How many tokens of the file are left out at its beginning. */
  readonly skip: number;
  readonly count: number;
  /** The tokens go round for so long; null sends each of them once and stops. */
  readonly seconds: number | null;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function chooseLoadGenerator(wanted: LoadGenerator | null): LoadGenerator {
  return wanted ?? (findProgram('wrk') === null ? 'autocannon' : 'wrk');
}

/** Sends a load and answers with what was seen of it. */
export async function send(generator: LoadGenerator, load: Load): Promise<LoadResult> {
  if (load.skip + load.count > load.tokens.count)
    throw new Error('The load asks for more tokens than there are.');
  // Bounded in time even when the tokens are what ends it: nobody here is slower than 100 requests a second.
  const limitSeconds = (load.seconds ?? Math.ceil(load.count / 100)) + 30;
  const program =
    generator === 'wrk' ? wrk(load, limitSeconds) : script('load-autocannon.ts', { ...load, connections });
  return runGenerator(program, limitSeconds + 10, loadCore);
}

/** Runs a load generator to its end and reads what it prints. An answer that is not 200 spoils all the others. */
export async function runGenerator(
  program: Program,
  limitSeconds: number,
  cores: Cores,
): Promise<LoadResult> {
  type Printed = LoadResult & { refused: number; failed: number };
  const { refused, failed, ...result } = await runForResult<Printed>(program, limitSeconds, cores);
  if (refused > 0 || failed > 0 || result.requests === 0) {
    throw new Error(
      `Not a measurement: of ${result.requests} requests ${refused} were not answered with 200 and ${failed} failed.`,
    );
  }
  return result;
}

function wrk({ url, tokens, skip, count, seconds }: Load, limitSeconds: number): Program {
  const file = join(import.meta.dirname, 'load.lua');
  const duration = `${seconds ?? limitSeconds}s`;
  const settings = ['--threads', '1', '--connections', String(connections), '--duration', duration];
  const walk = [tokens.path, String(skip), String(count), seconds === null ? 'once' : 'again'];
  return {
    command: findProgram('wrk') ?? 'wrk',
    parameters: [...settings, '--timeout', '10s', '--script', file, url, '--', ...walk],
    environment: {},
  };
}
