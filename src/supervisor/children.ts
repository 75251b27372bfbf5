import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Child, Ending } from './child.ts';

interface ChildrenOptions {
  readonly processes: number;
  readonly fork: (process: number) => Child;
  readonly clock: Clock;
  readonly log: Log;
}

/** The processes of a service. Each one that ends is replaced, until all are stopped. */
export function createChildren({ processes, fork, clock, log }: ChildrenOptions) {
  const running = new Set<Child>();
  let isStopping = false;

  const start = (process: number) => {
    const child = fork(process);
    running.add(child);
    void child.ended.then(() => running.delete(child));
    return child;
  };
  const keepReplaced = async (first: Child) => {
    const backoff = new Backoff();
    for (let child = first; ; child = start(first.process)) {
      const ending = await child.ended;
      if (isStopping) return;
      const delayMs = backoff.delayMs(ending, clock.monotonic() - child.startedAt);
      const fields = { process: child.process, ...ending, again_in_ms: Math.round(delayMs) };
      log.error(fields, 'a process has ended and is replaced');
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      if (isStopping) return;
    }
  };
  const signal = (name: NodeJS.Signals) => {
    for (const child of running) child.signal(name);
  };
  return {
    signal,
    all: () => [...running],
    serving: () => [...running].filter(({ isServing }) => isServing),
    /** The first process starts alone, because it may have to create the schema, the master secret and the keys. */
    async startFirst(): Promise<void> {
      const first = start(1);
      if (!(await first.started))
        throw new OperatorError(
          `The first of ${processes} processes has not started. Its messages above have the reason.`,
        );
      void keepReplaced(first);
    },
    async startOthers(): Promise<void> {
      const others = Array.from({ length: processes - 1 }, (_, index) => start(index + 2));
      for (const child of others) void keepReplaced(child);
      await Promise.all(others.map(({ started }) => started));
    },
    /** Sends SIGTERM to all, and SIGKILL at the deadline. False if one failed or was killed. */
    async stop(deadlineMs: number): Promise<boolean> {
      isStopping = true;
      signal('SIGTERM');
      const cancel = clock.after(deadlineMs, () => signal('SIGKILL'));
      const endings = await Promise.all([...running].map(({ ended }) => ended));
      cancel();
      // A process that has just been forked has no handler of SIGTERM yet.
      return endings.every((ending) => ending.code === 0 || ending.signal === 'SIGTERM');
    },
  };
}

/** A process that ran for this long has started well. */
const longEnoughMs = 10_000;
const minBetweenMs = 1_000;
const maxMs = 30_000;

/**
 * The backoff before a process is replaced. One that ran for a while or was killed is replaced at once, but not more than
 * once a second. One that keeps failing is replaced after 1, 2, 4 … 30 seconds.
 */
export class Backoff {
  #failures = 0;

  delayMs({ signal }: Ending, livedMs: number): number {
    const wasWell = signal === 'SIGKILL' || livedMs >= longEnoughMs;
    this.#failures = wasWell ? 0 : this.#failures + 1;
    if (wasWell) return Math.max(minBetweenMs - livedMs, 0);
    return Math.min(minBetweenMs * 2 ** (this.#failures - 1), maxMs);
  }
}
