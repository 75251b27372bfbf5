import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Environment } from '../config/load.ts';
import type { ConsoleState } from '../ops/console-data.ts';
import type { Family, Reader } from '../ops/exposition.ts';
import type { ReadinessAnswer } from '../ops/health.ts';

/** The requests of a supervisor to a process. Arguments and answers are plain data. */
export interface Questions {
  start(start: Start): true;
  /** A connection comes with the message. The answer comes before any byte of it is read; false while the process stops. */
  take(): boolean;
  live(): true;
  ready(): ReadinessAnswer;
  families(reader: Reader): readonly Family[];
  state(): ConsoleState;
  /** By pseudonym. `held` is null if there is no such caller. */
  consumer(id: string): { readonly held: object | null };
}

/** The settings of the supervisor, and the number of the process, counted from 1. */
export interface Start {
  readonly environment: Environment;
  readonly process: number;
}

export interface ToChild {
  readonly id: number;
  readonly ask: keyof Questions;
  readonly argument?: unknown;
}
type Answer<Q extends keyof Questions> = ReturnType<Questions[Q]> | null;
export type FromChild = { readonly id: number; readonly answer: Answer<keyof Questions> };

export interface AskOptions<Q extends keyof Questions> {
  readonly argument?: Parameters<Questions[Q]>[0];
  readonly withinMs?: number;
  readonly socket?: Socket;
}

/** How a process ended; both are null if it could not be started. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

export class Child {
  readonly process: number;
  readonly startedAt: number;
  /** Resolves with true once it serves; with false if it ended first. */
  readonly started: Promise<boolean>;
  readonly ended: Promise<Ending>;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #unanswered = new Map<number, (answer: FromChild['answer']) => void>();
  #lastId = 0;
  #hasStarted = false;

  constructor(worker: Worker, start: Start, clock: Clock) {
    this.process = start.process;
    this.startedAt = clock.monotonic();
    this.#worker = worker;
    this.#clock = clock;
    const closed = Promise.withResolvers<Ending>();
    // Unlike `exit`, `close` comes after the last answer. `disconnect` does not come while a connection is being handed over.
    worker.process.once('close', (code, signal) => closed.resolve({ code, signal }));
    worker.on('error', () => {
      if (worker.process.pid === undefined) closed.resolve({ code: null, signal: null });
    });
    worker.on('message', ({ id, answer }: FromChild) => this.#unanswered.get(id)?.(answer));
    this.ended = closed.promise.finally(() => {
      for (const resolve of this.#unanswered.values()) resolve(null);
    });
    this.started = this.ask('start', { argument: start }).then((answer) => {
      this.#hasStarted = answer !== null;
      return this.#hasStarted;
    });
  }

  get isServing(): boolean {
    return this.#hasStarted && this.#worker.isConnected();
  }

  /**
   * Resolves with null if the process ends first, or does not answer in time. A connection that is handed over stays open
   * here, too.
   */
  async ask<Q extends keyof Questions>(
    ask: Q,
    { argument, withinMs, socket }: AskOptions<Q>,
  ): Promise<Answer<Q>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<FromChild['answer']>();
    this.#unanswered.set(id, resolve);
    const cancel = withinMs && this.#clock.after(withinMs, () => resolve(null));
    this.#worker.send({ id, ask, argument }, socket, { keepOpen: true }, (error) => error && resolve(null));
    const answer = await promise;
    this.#unanswered.delete(id);
    if (cancel) cancel();
    return answer as Answer<Q>;
  }

  signal(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }
}

const heartbeatMs = 10_000;
/** More than one: after a suspension of the machine the first heartbeat of every process is late. */
const maxMissed = 3;

/**
 * Sends heartbeats. Kills a process that serves and has not answered for 30 seconds. Settles when it is killed or has ended.
 */
export async function killWhenSilent(
  child: Pick<Child, 'process' | 'isServing' | 'ask' | 'signal'>,
  clock: Clock,
  log: Log,
): Promise<void> {
  for (let missed = 0; missed < maxMissed; missed += 1) {
    while (child.isServing && (await child.ask('live', { withinMs: heartbeatMs })) !== null) {
      missed = 0;
      await new Promise<void>((resolve) => clock.after(heartbeatMs, resolve));
    }
    if (!child.isServing) return;
  }
  const seconds = (maxMissed * heartbeatMs) / 1000;
  log.error({ process: child.process, seconds }, 'a process does not answer and is killed');
  child.signal('SIGKILL');
}
