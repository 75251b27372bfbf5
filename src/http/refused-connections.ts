import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { RefusedConnection } from './connections.ts';

interface CountParts {
  readonly metrics: Pick<Metrics, 'countRefusedConnection'>;
  readonly clock: Clock;
  readonly log: Log;
}

const lineEveryMs = 10_000;

/** Counts refused connections, and says so in the log: at once, and then every ten seconds while it goes on. */
export function createCountRefused({ metrics, clock, log }: CountParts): (reason: RefusedConnection) => void {
  const refused = { all: 0, address: 0 };
  let isResting = false;
  const writeLine = () => {
    isResting = refused.all + refused.address > 0;
    if (!isResting) return;
    log.warn({ ...refused }, 'connections refused, because too many are open in all or from one address');
    Object.assign(refused, { all: 0, address: 0 });
    clock.after(lineEveryMs, writeLine);
  };
  return (reason) => {
    metrics.countRefusedConnection(reason);
    refused[reason] += 1;
    if (!isResting) writeLine();
  };
}
