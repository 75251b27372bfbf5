import { answer, type PublicHandler } from '../base/handler.ts';
import { Exposition, expositionText, expositionType, type Family } from '../ops/exposition.ts';
import { describeProcess } from '../ops/process-metrics.ts';
import { countsOf, together } from '../ops/summed-metrics.ts';
import { worstLife, worstReadiness } from '../ops/worst-health.ts';
import type { Child } from './child.ts';
import type { Health, Question } from './messages.ts';

interface OpsOptions {
  readonly children: { listening(): readonly Child[] };
  readonly processes: number;
  readonly isStopping: () => boolean;
}

/** The ops port is answered within a second, whoever hangs; a process takes up to 0.8 s to find out whether it is ready. */
const askedWithinMs = 950;

/** What the ops port says for all processes together. */
export function createOps({ children, processes, isStopping }: OpsOptions) {
  /** Of each process, what it told last; a counter must never go back, also while one does not answer. */
  const lastTold = new Map<Child, readonly Family[]>();
  let countedByOthers: readonly Family[] = [];
  let replaced = 0;
  const own = new Exposition();
  describeProcess(own);
  own.gauge('vestibule_processes_wanted', 'Processes that there should be.', () => processes, 'sum');
  own.gauge(
    'vestibule_processes_serving',
    'Processes that take connections now.',
    () => children.listening().length,
    'sum',
  );
  own.add(
    {
      name: 'vestibule_processes_ended_total',
      type: 'counter',
      help: 'Processes that have ended without being told to.',
    },
    () => [{ labels: {}, value: replaced }],
  );

  const askAll = <Q extends Question>(question: Q) =>
    Promise.all(
      children.listening().map(async (child) => ({ child, told: await child.ask(question, askedWithinMs) })),
    );
  const answersTo = async (question: 'live' | 'ready') =>
    (await askAll(question)).filter(({ child }) => child.isListening).map(({ told }) => told);

  const metrics: PublicHandler = async () => {
    for (const { child, told } of await askAll('metrics'))
      if (told !== null && child.isListening) lastTold.set(child, told);
    const all = together([own.families(), ...lastTold.values(), countedByOthers]);
    return answer(expositionType, expositionText(all));
  };
  return {
    handlers: {
      live: (async () => worstLife(await answersTo('live'), processes)) satisfies PublicHandler,
      ready: (async () => {
        const answers = await answersTo('ready');
        return worstReadiness(
          answers as (Health | null)[],
          { wanted: processes, serving: answers.length },
          isStopping(),
        );
      }) satisfies PublicHandler,
      metrics,
    },
    /** Of a process that has ended. */
    forget(child: Child): void {
      const told = lastTold.get(child);
      lastTold.delete(child);
      if (told !== undefined) countedByOthers = together([countedByOthers, countsOf(told)]);
      if (!isStopping()) replaced += 1;
    },
  };
}
