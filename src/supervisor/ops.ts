import { answer } from '../base/handler.ts';
import {
  countsOf,
  Exposition,
  expositionText,
  expositionType,
  type Family,
  mergeMetrics,
} from '../ops/exposition.ts';
import { describeProcess } from '../ops/process-metrics.ts';
import { worstLife, worstReadiness } from '../ops/worst-health.ts';
import type { Child } from './child.ts';

/** The ops port answers within a second, also when a process hangs. A process needs up to 0.8 s to know its readiness. */
const withinMs = 950;

/** The handlers of the ops port, for all processes together. */
export function createOps(processes: number, serving: () => readonly Child[], isStopping: () => boolean) {
  /** The last metrics of each process: counters must not go back while it does not answer. */
  const lastMetrics = new Map<Child, readonly Family[]>();
  let countsOfEnded: readonly Family[] = [];
  let ended = 0;
  const own = new Exposition();
  describeProcess(own);
  own.watch({
    vestibule_processes_wanted: () => processes,
    vestibule_processes_serving: () => serving().length,
    vestibule_processes_ended_total: () => ended,
  });

  /** The answers of those that still serve afterwards. */
  const askAll = async <Q extends 'live' | 'ready' | 'metrics'>(question: Q) => {
    const asked = serving().map(async (child) => ({ child, told: await child.ask(question, { withinMs }) }));
    return (await Promise.all(asked)).filter(({ child }) => child.isServing);
  };
  const answersTo = async <Q extends 'live' | 'ready'>(question: Q) =>
    (await askAll(question)).map(({ told }) => told);
  return {
    handlers: {
      live: async () => worstLife(await answersTo('live'), processes),
      ready: async () => worstReadiness(await answersTo('ready'), processes, isStopping()),
      async metrics() {
        for (const { child, told } of await askAll('metrics'))
          if (told !== null) lastMetrics.set(child, told);
        const all = mergeMetrics([own.families(), ...lastMetrics.values(), countsOfEnded]);
        return answer(expositionType, expositionText(all));
      },
    },
    /** For a process that has ended. */
    forget(child: Child): void {
      countsOfEnded = mergeMetrics([countsOfEnded, countsOf(lastMetrics.get(child) ?? [])]);
      lastMetrics.delete(child);
      if (!isStopping()) ended += 1;
    },
  };
}
