import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory that this process uses: unreachable objects are collected first. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
