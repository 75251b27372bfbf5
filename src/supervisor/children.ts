import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Backoff } from './backoff.ts';
import type { Child, Ending } from './child.ts';

interface ChildrenOptions {
  readonly processes: number;
  /** Starts the process of this number, counted from 1; the others listen where the first one does. */
  readonly start: (process: number) => Child;
  /** The first one takes connections. */
  readonly onFirst: (address: string) => void;
  readonly onEnded: (child: Child) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The processes of a service, each replaced when it ends, until all of them are to stop. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #running = new Set<Child>();
  #isStopping = false;
  #wellEnded = true;

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Those that take connections. */
  listening(): readonly Child[] {
    return [...this.#running].filter(({ isListening }) => isListening);
  }

  /**
   * The first one alone, so that what is made at a first start (schema, master secret, keys) is made once; then the others. Settles
   * once all have come up, or have failed to for the first time. Where the first one fails nothing is started.
   */
  async start(): Promise<void> {
    const { processes, onFirst } = this.#options;
    const address = await this.#begin(1);
    if (this.#isStopping) return;
    if (address === null)
      throw new OperatorError(`The first of ${processes} processes has not come up; what it said is above.`);
    onFirst(address);
    const others = Array.from({ length: processes - 1 }, (_, index) => index + 2);
    await Promise.all(others.map((process) => this.#begin(process)));
  }

  signal(signal: NodeJS.Signals): void {
    for (const child of this.#running) child.signal(signal);
  }

  /** SIGTERM to all; whoever is still there at the deadline is killed. False when somebody did not end well. */
  async stop(deadlineMs: number): Promise<boolean> {
    this.#isStopping = true;
    this.signal('SIGTERM');
    const cancel = this.#options.clock.after(deadlineMs, () => this.signal('SIGKILL'));
    await Promise.all([...this.#running].map(({ ended }) => ended));
    cancel();
    return this.#wellEnded;
  }

  /** Its address; null when it ended before it had one. From then on there is always one of this number, or one to come. */
  #begin(process: number): Promise<string | null> {
    const child = this.#start(process);
    const isFirst = process === 1;
    void child.listening.then(async (address) => {
      // Without the first one there is nothing to keep.
      if (isFirst && address === null) return;
      await this.#keep(child, new Backoff());
    });
    return child.listening;
  }

  #start(process: number): Child {
    const child = this.#options.start(process);
    this.#running.add(child);
    void child.ended.then((ending) => {
      this.#running.delete(child);
      this.#options.onEnded(child);
      // One that has only just been started ends by the signal itself.
      const isWell = ending.code === 0 || ending.signal === 'SIGTERM';
      if (this.#isStopping && !isWell) this.#wellEnded = false;
    });
    return child;
  }

  async #keep(first: Child, backoff: Backoff): Promise<void> {
    const { clock } = this.#options;
    let child = first;
    while (true) {
      const ending = await child.ended;
      if (this.#isStopping) return;
      const delayMs = backoff.delayMs(ending, clock.monotonic() - child.startedAt);
      this.#report(child, ending, delayMs);
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      if (this.#isStopping) return;
      child = this.#start(child.process);
    }
  }

  #report({ process }: Child, { code, signal }: Ending, delayMs: number): void {
    const fields = { process, code, signal, again_in_ms: Math.round(delayMs) };
    this.#options.log.error(fields, 'a process has ended, another takes its place');
  }
}
