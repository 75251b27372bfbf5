import { type Answer, answer, json } from '../base/handler.ts';
import {
  countsOf,
  Exposition,
  expositionText,
  expositionType,
  type Family,
  mergeMetrics,
} from '../ops/exposition.ts';
import { describeProcess } from '../ops/metrics.ts';
import type { Child, ReadinessAnswer } from './child.ts';

/** The ops port answers within a second, also when a process hangs. Readiness takes up to 0.8 s. */
const withinMs = 950;

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
    forget(child: Child): void {
      countsOfEnded = mergeMetrics([countsOfEnded, countsOf(lastMetrics.get(child) ?? [])]);
      lastMetrics.delete(child);
      if (!isStopping()) ended += 1;
    },
  };
}

/** GET /livez for several processes. Null is one that did not answer. */
function worstLife(answers: readonly unknown[], wanted: number): Answer {
  const serving = answers.length;
  const silent = answers.filter((answer) => answer === null).length;
  const status = silent === 0 ? 'ok' : 'a process does not answer';
  return json({ status, processes: { wanted, serving, silent } }, { status: silent === 0 ? 200 : 503 });
}

/** GET /readyz for several processes: the worst answer, and how many there are. */
function worstReadiness(
  answers: readonly (ReadinessAnswer | null)[],
  wanted: number,
  isStopping: boolean,
): Answer {
  const serving = answers.length;
  const told = answers.filter((answer) => answer !== null);
  const silent = serving - told.length;
  const worst = told.find(({ status }) => status !== 200) ?? told[0];
  const isWorstReady = worst?.status === 200;
  const isReady = isWorstReady && silent === 0 && !isStopping;
  const notReady = isWorstReady ? 'not ready' : (worst?.body.status ?? 'not ready');
  const status = isStopping ? 'stopping' : isReady ? 'ready' : notReady;
  // `doctor` recognises the service by `checks`, also when no process serves.
  const checks = { ...(worst?.body.checks ?? {}), processes: processesCheck(serving, silent) };
  const body = { ...worst?.body, status, checks, processes: { wanted, serving, silent } };
  return json(body, { status: isReady ? 200 : 503 });
}

function processesCheck(serving: number, silent: number): string {
  if (serving === 0) return 'none serves';
  return silent === 0 ? 'ok' : `${silent} of ${serving} do not answer`;
}
