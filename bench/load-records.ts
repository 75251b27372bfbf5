import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connections, type LoadGenerator, type LoadResult, runGenerator } from './load.ts';
import { findProgram, loadCore, type Program, script } from './processes.ts';

export interface RecordRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Empty for a peer that asks for none. */
  readonly token: string;
  /** Empty for none. */
  readonly body: string;
}

/** Requests in a file, one a line, that go round until the time is up. */
export interface RecordLoad {
  readonly origin: string;
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
}

export function writeRequests(file: string, requests: readonly RecordRequest[]): void {
  const lines = requests.map(({ method, path, token, body }) => [method, path, token, body].join('\t'));
  writeFileSync(file, `${lines.join('\n')}\n`);
}

export function sendRequests(generator: LoadGenerator, load: RecordLoad): Promise<LoadResult> {
  const program =
    generator === 'wrk' ? wrk(load) : script('load-records-autocannon.ts', { ...load, connections });
  return runGenerator(program, load.seconds + 40, loadCore);
}

function wrk({ origin, file, headers, seconds }: RecordLoad): Program {
  const walk = join(import.meta.dirname, 'load-records.lua');
  const settings = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  const shared = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    command: findProgram('wrk') ?? 'wrk',
    parameters: [...settings, '--timeout', '10s', '--script', walk, origin, '--', file, ...shared],
    environment: {},
  };
}
