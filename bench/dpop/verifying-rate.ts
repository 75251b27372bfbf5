import { join } from 'node:path';
import type { Rate } from '../shared/in-turn.ts';
import { runForResult, script, serverCore } from '../shared/processes.ts';

/** How many ES256 signatures a second a Node.js process checks that does nothing else, on the core that the server has. */
export function verifyingRate(seconds: number, keys: number): Promise<Rate> {
  const program = script(join(import.meta.dirname, 'verify-on-one-core.ts'), { seconds, keys });
  return runForResult(program, seconds + 20, serverCore);
}
