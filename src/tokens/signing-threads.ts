import type { Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { expectLine, onLines } from '../base/thread-line.ts';
import { startThread } from '../base/threads.ts';
import type { SigningKey } from './signing-key.ts';
import type { KeyForThread, SigningTask } from './signing-thread.ts';

/** Signs a text with a key, and answers with the signature in base64url. */
export type Sign = (key: SigningKey, text: string) => Promise<string>;

/**
 * Threads for signatures, which take milliseconds each. They start when there is something to sign: whoever has no
 * machine clients does not pay for them. One that has ended, which should not happen, is replaced in the same way.
 */
export class SigningThreads {
  readonly #most: number;
  readonly #threads = new Set<SigningThread>();

  constructor(most: number) {
    this.#most = most;
  }

  readonly sign: Sign = (key, text) => this.#leastBusy().sign(key, text);

  async stop(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #leastBusy(): SigningThread {
    let found: SigningThread | undefined;
    for (const thread of this.#threads) if (found === undefined || thread.busy < found.busy) found = thread;
    if (found !== undefined && (found.busy === 0 || this.#threads.size >= this.#most)) return found;
    const thread: SigningThread = new SigningThread(() => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

interface OpenThread {
  readonly worker: Worker;
  readonly line: Socket;
}

/** This side of a thread that signs: see `signing-thread.ts`. */
class SigningThread {
  readonly #onEnd: () => void;
  /** They are answered in this order. */
  readonly #waiting: PromiseWithResolvers<string>[] = [];
  readonly #started: Promise<OpenThread>;
  #open: OpenThread | null = null;
  /** The key that the thread has. */
  #kid: string | null = null;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#started = this.#start();
    this.#started.then(
      (open) => {
        this.#open = open;
      },
      (error) => this.#end(error),
    );
  }

  get busy(): number {
    return this.#waiting.length;
  }

  sign(key: SigningKey, text: string): Promise<string> {
    const answer = Promise.withResolvers<string>();
    this.#waiting.push(answer);
    if (this.#open !== null) this.#send(this.#open, key, text);
    else void this.#started.then((open) => this.#send(open, key, text), ignore);
    return answer.promise;
  }

  async stop(): Promise<void> {
    await this.#started.then(({ worker }) => worker.terminate(), ignore);
  }

  #send({ worker, line }: OpenThread, key: SigningKey, text: string): void {
    const { kid, algorithm, privateKey } = key;
    if (this.#kid !== kid) worker.postMessage({ kid, algorithm, privateKey } satisfies KeyForThread);
    this.#kid = kid;
    line.write(`${kid} ${text}\n`);
  }

  async #start(): Promise<OpenThread> {
    const expected = await expectLine();
    const worker = startThread(new URL('./signing-thread.ts', import.meta.url), {
      line: expected.address,
    } satisfies SigningTask);
    worker.once('error', (error) => this.#end(error));
    worker.once('exit', () => {
      expected.close();
      this.#end(new Error('A thread that signs tokens has ended.'));
    });
    const line = await expected.connected;
    line.once('error', () => void worker.terminate());
    onLines(line, (signatures) => {
      for (const signature of signatures) this.#waiting.shift()?.resolve(signature);
    });
    return { worker, line };
  }

  #end(error: unknown): void {
    this.#onEnd();
    for (const answer of this.#waiting.splice(0)) answer.reject(error);
  }
}

/** Whoever waits hears of it from `#end`. */
function ignore(): void {}
