import type { Rate } from '../shared/in-turn.ts';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import type { Sample } from '../shared/sample.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';

export interface ReadyService {
  readonly server: RunningServer;
  readonly origin: string;
  readonly folder: string;
}

/** `serve` on a core of its own, request log off. */
export async function startService(stage: Stage): Promise<ReadyService> {
  const surroundings = await surroundingsFor('dpop', stage);
  const program = vestibule(surroundings, 'warn');
  const { port, opsPort, folder } = surroundings;
  const isReady = answers(`http://127.0.0.1:${opsPort}/readyz`);
  const server = await startReady('vestibule', program, folder, isReady);
  return { server, origin: `http://127.0.0.1:${port}`, folder };
}

export function rateOf({ requestsPerSecond, cpuMicroseconds }: Sample): Rate {
  return { perSecond: requestsPerSecond, cpuMicroseconds };
}
