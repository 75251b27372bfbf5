import type { Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { Refusal } from '../base/errors.ts';
import { expectLine, onLines } from '../base/thread-line.ts';
import { startThread } from '../base/threads.ts';
import type { SigningKey } from './signing-key.ts';
import type { KeyForThread, SigningTask } from './signing-thread.ts';

/** Signs the first two parts of a JWT with a key, and answers with the third. */
export type Sign = (key: SigningKey, text: string) => Promise<string>;

interface SigningThreadsOptions {
  readonly most: number;
  /** A thread has ended that should not have. Whoever waited for it was told to come again. */
  onFailure(error: unknown): void;
}

/**
 * Threads for signatures, which take milliseconds each. They start when there is something to sign: whoever has no
 * machine clients does not pay for them. One that has ended, which should not happen, is replaced in the same way.
 */
export class SigningThreads {
  readonly #options: SigningThreadsOptions;
  readonly #threads = new Set<SigningThread>();
  #isStopped = false;

  constructor(options: SigningThreadsOptions) {
    this.#options = options;
  }

  readonly sign: Sign = (key, text) => {
    if (this.#isStopped) return Promise.reject(comeAgain('The service stops.'));
    return this.#leastBusy().sign(key, text);
  };

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #leastBusy(): SigningThread {
    let found: SigningThread | undefined;
    for (const thread of this.#threads) if (found === undefined || thread.busy < found.busy) found = thread;
    const { most, onFailure } = this.#options;
    if (found !== undefined && (found.busy === 0 || this.#threads.size >= most)) return found;
    const thread: SigningThread = new SigningThread((error) => {
      if (this.#threads.delete(thread) && !this.#isStopped) onFailure(error);
    });
    this.#threads.add(thread);
    return thread;
  }
}

interface Job {
  readonly key: SigningKey;
  readonly text: string;
  readonly answer: PromiseWithResolvers<string>;
}

/** This side of a thread that signs: see `signing-thread.ts`. */
class SigningThread {
  readonly #onEnd: (error: unknown) => void;
  /** They are answered in this order. */
  readonly #sent: Job[] = [];
  /** Until the thread is there. */
  readonly #unsent: Job[] = [];
  readonly #started: Promise<void>;
  #worker: Worker | null = null;
  #line: Socket | null = null;
  #isStopped = false;
  /** The key that the thread has. */
  #kid: string | null = null;

  constructor(onEnd: (error: unknown) => void) {
    this.#onEnd = onEnd;
    this.#started = this.#start().catch((error) => this.#end(error));
  }

  get busy(): number {
    return this.#sent.length + this.#unsent.length;
  }

  sign(key: SigningKey, text: string): Promise<string> {
    const job = { key, text, answer: Promise.withResolvers<string>() };
    if (this.#line === null) this.#unsent.push(job);
    else this.#send(job, this.#line);
    return job.answer.promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
    await this.#started;
  }

  #send(job: Job, line: Socket): void {
    const { kid, algorithm, privateKey } = job.key;
    this.#sent.push(job);
    if (this.#kid !== kid) this.#worker?.postMessage({ kid, algorithm, privateKey } satisfies KeyForThread);
    this.#kid = kid;
    line.write(`${kid} ${job.text}\n`);
  }

  async #start(): Promise<void> {
    const expected = await expectLine();
    try {
      if (this.#isStopped) throw new Error('The thread was stopped before it has started.');
      const worker = startThread(new URL('./signing-thread.ts', import.meta.url), {
        line: expected.address,
      } satisfies SigningTask);
      this.#worker = worker;
      worker.once('error', (error) => this.#end(error));
      worker.once('exit', () => {
        expected.close();
        this.#end(new Error('A thread that signs tokens has ended.'));
      });
      const line = await expected.connected;
      line.once('error', () => void worker.terminate());
      onLines(line, (signatures) => {
        for (const signature of signatures) this.#sent.shift()?.answer.resolve(signature);
      });
      this.#line = line;
      for (const job of this.#unsent.splice(0)) this.#send(job, line);
    } finally {
      expected.close();
    }
  }

  #end(error: unknown): void {
    this.#onEnd(error);
    for (const { answer } of [...this.#sent.splice(0), ...this.#unsent.splice(0)]) {
      answer.reject(comeAgain(error));
    }
  }
}

/** Another thread can do it in a moment. */
function comeAgain(cause: unknown): Refusal {
  return new Refusal('signing_overloaded', { retryAfterSeconds: 1, cause });
}
