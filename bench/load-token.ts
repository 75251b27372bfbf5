import { join } from 'node:path';
import { connections, type LoadGenerator, type LoadResult, runGenerator } from './load.ts';
import { allCores, findProgram, type Program, script } from './processes.ts';

/** One request, as it goes over the wire. */
export interface Post {
  readonly contentType: string;
  readonly body: string;
}

export interface PostLoad extends Post {
  readonly url: string;
  readonly seconds: number;
}

/**
 * Sends the same POST over and over. As many requests wait for a signature as there are connections: always more than
 * there are cores to make them, and far fewer than anybody here would refuse.
 */
export function sendPosts(generator: LoadGenerator, load: PostLoad): Promise<LoadResult> {
  const program =
    generator === 'wrk' ? wrk(load) : script('load-token-autocannon.ts', { ...load, connections });
  return runGenerator(program, load.seconds + 40, allCores);
}

function wrk({ url, contentType, body, seconds }: PostLoad): Program {
  const file = join(import.meta.dirname, 'load-token.lua');
  const settings = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  return {
    command: findProgram('wrk') ?? 'wrk',
    parameters: [...settings, '--timeout', '10s', '--script', file, url, '--', contentType, body],
    environment: {},
  };
}
