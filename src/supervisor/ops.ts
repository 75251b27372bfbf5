import { Refusal } from '../base/errors.ts';
import { answer, json } from '../base/handler.ts';
import {
  countsOf,
  Exposition,
  expositionText,
  expositionType,
  type Family,
  mergeMetrics,
  type Reader,
} from '../ops/exposition.ts';
import type { ReadinessAnswer } from '../ops/health.ts';
import { describeProcess } from '../ops/metrics.ts';
import type { AskOptions, Child, Questions } from './child.ts';

/** The ops port answers within a second, also when a process hangs. Readiness takes up to 0.8 s. */
const withinMs = 950;
/** A lookup reads several tables. */
const consumerWithinMs = 5_000;

export function createOps(
  wanted: number,
  { all, serving }: Record<'all' | 'serving', () => readonly Child[]>,
  isStopping: () => boolean,
) {
  const last = { scrape: new LastFamilies(), console: new LastFamilies() };
  /** How often a process has ended unexpectedly, by its number. */
  const endings = new Map<number, number>();
  const own = new Exposition();
  describeProcess(own);
  own.watch({
    // The minimum of all processes counts, also when none serves.
    vestibule_ready: () => Number(serving().length > 0),
    vestibule_processes_wanted: () => wanted,
    vestibule_processes_serving: () => serving().length,
    vestibule_processes_ended_total: () => [...endings.values()].reduce((sum, one) => sum + one, 0),
  });

  /** The answers of the processes that still serve afterwards. Null is a process that did not answer. */
  const askAll = async <Q extends keyof Questions>(question: Q, options: AskOptions<Q> = {}) => {
    const asked = serving().map(async (child) => {
      return { child, answer: await child.ask(question, { withinMs, ...options }) };
    });
    return (await Promise.all(asked)).filter(({ child }) => child.isServing);
  };
  /** All processes share the database: the first answer is enough. */
  const askOne = async <Q extends keyof Questions>(question: Q, options: AskOptions<Q>) => {
    for (const child of serving()) {
      const answered = await child.ask(question, options);
      if (answered !== null) return answered;
    }
    return null;
  };
  const readFamilies = async (reader: Reader) => {
    const answers = await askAll('families', { argument: reader });
    return { answers, families: last[reader].mergedWith(own.families(reader), answers) };
  };
  const health = async <Q extends 'live' | 'ready'>(question: Q) => {
    const all = (await askAll(question)).map(({ answer }) => answer);
    const answers = all.filter((answer) => answer !== null);
    return { answers, processes: { wanted, serving: all.length, silent: all.length - answers.length } };
  };
  const ready = async () => {
    const { answers, processes } = await health('ready');
    // The first process starts alone, and names the work that takes long.
    const [first] = processes.serving > 0 ? [] : all();
    const starting = await first?.ask('ready', { withinMs });
    return worstReadiness(answers, processes, isStopping(), starting ?? undefined);
  };
  return {
    handlers: {
      async live() {
        const { processes } = await health('live');
        if (processes.silent === 0) return json({ status: 'ok', processes });
        return json({ status: 'a process does not answer', processes }, { status: 503 });
      },
      async ready() {
        const { status, body } = await ready();
        return json(body, { status });
      },
      async metrics() {
        return answer(expositionType, expositionText((await readFamilies('scrape')).families));
      },
    },
    forConsole: {
      ready,
      async read() {
        const { answers, families } = await readFamilies('console');
        const processes = answers.map(({ child: { process }, answer }) => {
          return { process, families: answer, endings: endings.get(process) ?? 0 };
        });
        return { families, processes: processes.toSorted((one, other) => one.process - other.process) };
      },
      state: () => askOne('state', { withinMs }),
      async consumer(id: string) {
        const found = await askOne('consumer', { argument: id, withinMs: consumerWithinMs });
        if (found === null) throw new Refusal('storage_unavailable', { detail: 'no process answers' });
        return found.held;
      },
    },
    forget(child: Child): void {
      last.scrape.forget(child);
      last.console.forget(child);
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
    answers: readonly { readonly child: Child; readonly answer: readonly Family[] | null }[],
  ): readonly Family[] {
    for (const { child, answer } of answers) if (answer !== null) this.#last.set(child, answer);
    return mergeMetrics([own, ...this.#last.values(), this.#countsOfEnded]);
  }

  forget(child: Child): void {
    this.#countsOfEnded = mergeMetrics([this.#countsOfEnded, countsOf(this.#last.get(child) ?? [])]);
    this.#last.delete(child);
  }
}

/** GET /readyz for several processes: the worst answer, and their number. */
function worstReadiness(
  answers: readonly ReadinessAnswer[],
  processes: { readonly serving: number; readonly silent: number },
  isStopping: boolean,
  starting?: ReadinessAnswer,
): ReadinessAnswer {
  const { serving, silent } = processes;
  const worst = answers.find(({ status }) => status !== 200) ?? answers[0] ?? starting;
  const isWorstReady = worst?.status === 200;
  const isReady = isWorstReady && silent === 0 && !isStopping;
  const notReady = isWorstReady ? 'not ready' : (worst?.body.status ?? 'not ready');
  const status = isStopping ? 'stopping' : isReady ? 'ready' : notReady;
  const answering = silent === 0 ? 'ok' : `${silent} of ${serving} do not answer`;
  // `doctor` recognises the service by `checks`, also when no process serves.
  const checks = { ...worst?.body.checks, processes: serving === 0 ? 'none serves' : answering };
  return { status: isReady ? 200 : 503, body: { ...worst?.body, status, checks, processes } };
}
