import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process really holds in memory: whatever nobody can reach any more is collected first. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
