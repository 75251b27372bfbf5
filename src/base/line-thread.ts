import type { Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { expectLine, type LineAddress, onLines } from './thread-line.ts';

interface LineThreadOptions {
  /** Starts the thread, which calls that address. */
  start(line: LineAddress): Worker;
  onLines(lines: readonly string[]): void;
  /** Once, whatever ended it; by `stop` too. */
  onEnd(error: unknown): void;
}

type Say = (line: Socket, worker: Worker) => void;

/** How long a thread that was told to stop may take to put its things in order. */
const stopWithinMs = 1_000;

/** A thread and the line to it (see thread-line.ts). Whatever is said before it is there waits. */
export class LineThread {
  readonly #options: LineThreadOptions;
  readonly #unsaid: Say[] = [];
  readonly #started: Promise<void>;
  readonly #exited = Promise.withResolvers<void>();
  #worker: Worker | null = null;
  #line: Socket | null = null;
  #isStopped = false;
  #hasEnded = false;

  constructor(options: LineThreadOptions) {
    this.#options = options;
    this.#started = this.#start().catch((error) => this.#end(error));
  }

  send(say: Say): void {
    if (this.#line === null || this.#worker === null) this.#unsaid.push(say);
    else say(this.#line, this.#worker);
  }

  /** The end of the line tells the thread. One that has not called yet, or takes too long, is ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#line !== null) {
      this.#line.end();
      const timer = setTimeout(() => void this.#worker?.terminate(), stopWithinMs);
      await this.#exited.promise;
      clearTimeout(timer);
    }
    await this.#worker?.terminate();
    await this.#started;
  }

  async #start(): Promise<void> {
    const expected = await expectLine();
    try {
      if (this.#isStopped) throw new Error('The thread was stopped before it has started.');
      const worker = this.#options.start(expected.address);
      this.#worker = worker;
      worker.once('error', (error) => this.#end(error));
      worker.once('exit', () => {
        expected.close();
        this.#exited.resolve();
        this.#end(new Error('The thread has ended.'));
      });
      const line = await expected.connected;
      line.once('error', () => {});
      line.once('close', () => {
        if (!this.#isStopped) void worker.terminate();
      });
      onLines(line, this.#options.onLines);
      this.#line = line;
      for (const say of this.#unsaid.splice(0)) say(line, worker);
    } finally {
      expected.close();
    }
  }

  #end(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Before anybody is told: no late word may be taken for the answer to a question of the next thread.
    this.#line?.destroy();
    this.#options.onEnd(error);
  }
}
