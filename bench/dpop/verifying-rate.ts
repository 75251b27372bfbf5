import { join } from 'node:path';
import { runForResult, script, serverCore } from '../shared/processes.ts';

export interface VerifyingRate {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** How many ES256 signatures a second a Node.js process checks that does nothing else, on the core that the server has. */
export function verifyingRate(seconds: number): Promise<VerifyingRate> {
  const program = script(join(import.meta.dirname, 'verify-on-one-core.ts'), { seconds });
  return runForResult(program, seconds + 20, serverCore);
}
