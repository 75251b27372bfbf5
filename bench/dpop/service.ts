import { join } from 'node:path';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import type { Sample } from '../shared/sample.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';
import type { Rate } from './in-turn.ts';

export interface ReadyService {
  readonly server: RunningServer;
  readonly origin: string;
  readonly folder: string;
}

/** `serve` on a core of its own, request log off; of another checkout where one is named. */
export async function startService(stage: Stage, checkout: string | null = null): Promise<ReadyService> {
  const surroundings = await surroundingsFor('dpop', stage);
  const program = vestibule(surroundings, 'warn');
  const [main = '', ...parameters] = program.parameters;
  const ours = checkout === null ? main : join(checkout, 'bin/vestibule.js');
  const { port, opsPort, folder } = surroundings;
  const isReady = answers(`http://127.0.0.1:${opsPort}/readyz`);
  const started = { ...program, parameters: [ours, ...parameters] };
  const server = await startReady('vestibule', started, folder, isReady);
  return { server, origin: `http://127.0.0.1:${port}`, folder };
}

export function rateOf({ requestsPerSecond, cpuMicroseconds }: Sample): Rate {
  return { perSecond: requestsPerSecond, cpuMicroseconds };
}
