import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { allCores, runForResult, script } from '../shared/processes.ts';

/** RSA of 2048 bits with SHA-256, or ECDSA on P-256 with SHA-256. */
export type Algorithm = 'RS256' | 'ES256';

export interface SigningWork {
  readonly algorithm: Algorithm;
  readonly inFlight: number;
  readonly seconds: number;
}

export interface SigningRate {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** How many signatures a second a Node.js process makes that does nothing else, on all cores of this machine. */
export function signingRate(algorithm: Algorithm, seconds: number): Promise<SigningRate> {
  // Twice as many as cores: with just as many a core waits whenever the event loop hands out the next one.
  const inFlight = 2 * availableParallelism();
  const work: SigningWork = { algorithm, inFlight, seconds };
  const program = script(join(import.meta.dirname, 'sign-all-cores.ts'), work);
  // A pool of four threads, as it is by default, would leave cores idle where there are more.
  const environment = { ...program.environment, UV_THREADPOOL_SIZE: String(Math.max(4, inFlight)) };
  return runForResult({ ...program, environment }, seconds + 20, allCores);
}
