import { Refusal } from '../base/errors.ts';
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
/** A lookup reads several tables. */
const consumerWithinMs = 5_000;

export function createOps(
  processes: number,
  { all, serving }: Record<'all' | 'serving', () => readonly Child[]>,
  isStopping: () => boolean,
) {
  const [lastMetrics, lastSamples] = [new LastFamilies(), new LastFamilies()];
  /** How often a process has ended without being told to, by its number. */
  const endings = new Map<number, number>();
  const own = new Exposition();
  describeProcess(own);
  own.watch({
    // The least of all processes counts, also when none serves.
    vestibule_ready: () => Number(serving().length > 0),
    vestibule_processes_wanted: () => processes,
    vestibule_processes_serving: () => serving().length,
    vestibule_processes_ended_total: () => [...endings.values()].reduce((sum, one) => sum + one, 0),
  });

  /** The answers of the processes that still serve afterwards. */
  const askAll = async <Q extends 'live' | 'ready' | 'metrics' | 'sample'>(question: Q) => {
    const asked = serving().map(async (child) => ({ child, told: await child.ask(question, { withinMs }) }));
    return (await Promise.all(asked)).filter(({ child }) => child.isServing);
  };
  const answersTo = async <Q extends 'live' | 'ready'>(question: Q) =>
    (await askAll(question)).map(({ told }) => told);
  const ready = async () => {
    const answers = await answersTo('ready');
    // The first process starts alone, and says what takes long.
    const [first] = answers.length > 0 ? [] : all();
    const starting = (await first?.ask('ready', { withinMs })) ?? undefined;
    return worstReadiness(answers, processes, isStopping(), starting);
  };
  return {
    handlers: {
      live: async () => worstLife(await answersTo('live'), processes),
      async ready() {
        const { status, body } = await ready();
        return json(body, { status });
      },
      async metrics() {
        const all = lastMetrics.mergedWith(own.families(), await askAll('metrics'));
        return answer(expositionType, expositionText(all));
      },
    },
    forConsole: {
      ready,
      async read() {
        const told = await askAll('sample');
        return {
          families: lastSamples.mergedWith(own.families('console'), told),
          processes: told
            .map(({ child: { process }, told: families }) => {
              return { process, families, endings: endings.get(process) ?? 0 };
            })
            .toSorted((one, other) => one.process - other.process),
        };
      },
      /** All processes share the database, so the first answer is enough. */
      async state() {
        for (const child of serving()) {
          const state = await child.ask('state', { withinMs });
          if (state !== null) return state;
        }
        return null;
      },
      async consumer(id: string) {
        for (const child of serving()) {
          const answered = await child.ask('consumer', { withinMs: consumerWithinMs, consumer: id });
          if (answered !== null) return answered.held;
        }
        throw new Refusal('storage_unavailable', { detail: 'no process answers' });
      },
    },
    forget(child: Child): void {
      lastMetrics.forget(child);
      lastSamples.forget(child);
      if (!isStopping()) endings.set(child.process, (endings.get(child.process) ?? 0) + 1);
    },
  };
}

/** The last metrics of each process: counters must not decrease if it does not answer or has ended. */
class LastFamilies {
  readonly #last = new Map<Child, readonly Family[]>();
  #countsOfEnded: readonly Family[] = [];

  mergedWith(
    own: readonly Family[],
    answers: readonly { readonly child: Child; readonly told: readonly Family[] | null }[],
  ): readonly Family[] {
    for (const { child, told } of answers) if (told !== null) this.#last.set(child, told);
    return mergeMetrics([own, ...this.#last.values(), this.#countsOfEnded]);
  }

  forget(child: Child): void {
    this.#countsOfEnded = mergeMetrics([this.#countsOfEnded, countsOf(this.#last.get(child) ?? [])]);
    this.#last.delete(child);
  }
}

/** GET /livez for several processes. Null is a process that did not answer. */
function worstLife(answers: readonly unknown[], wanted: number): Answer {
  const serving = answers.length;
  const silent = answers.filter((answer) => answer === null).length;
  const status = silent === 0 ? 'ok' : 'a process does not answer';
  return json({ status, processes: { wanted, serving, silent } }, { status: silent === 0 ? 200 : 503 });
}

/** GET /readyz for several processes: the worst answer, and their number. */
function worstReadiness(
  answers: readonly (ReadinessAnswer | null)[],
  wanted: number,
  isStopping: boolean,
  starting?: ReadinessAnswer,
): ReadinessAnswer {
  const serving = answers.length;
  const told = answers.filter((answer) => answer !== null);
  const silent = serving - told.length;
  const worst = told.find(({ status }) => status !== 200) ?? told[0] ?? starting;
  const isWorstReady = worst?.status === 200;
  const isReady = isWorstReady && silent === 0 && !isStopping;
  const notReady = isWorstReady ? 'not ready' : (worst?.body.status ?? 'not ready');
  const status = isStopping ? 'stopping' : isReady ? 'ready' : notReady;
  // `doctor` recognises the service by `checks`, also when no process serves.
  const checks = { ...(worst?.body.checks ?? {}), processes: processesCheck(serving, silent) };
  const body = { ...worst?.body, status, checks, processes: { wanted, serving, silent } };
  return { status: isReady ? 200 : 503, body };
}

function processesCheck(serving: number, silent: number): string {
  if (serving === 0) return 'none serves';
  return silent === 0 ? 'ok' : `${silent} of ${serving} do not answer`;
}
