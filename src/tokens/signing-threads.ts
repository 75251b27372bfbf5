import { Refusal } from '../base/errors.ts';
import { LineThread } from '../base/line-thread.ts';
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

/** This side of a thread that signs: see `signing-thread.ts`. */
class SigningThread {
  /** They are answered in this order. */
  readonly #waiting: PromiseWithResolvers<string>[] = [];
  readonly #thread: LineThread;
  /** The key that the thread has. */
  #kid: string | null = null;

  constructor(onEnd: (error: unknown) => void) {
    this.#thread = new LineThread({
      start: (line) =>
        startThread(new URL('./signing-thread.ts', import.meta.url), { line } satisfies SigningTask),
      onLines: (signatures) => {
        for (const signature of signatures) this.#waiting.shift()?.resolve(signature);
      },
      onEnd: (error) => {
        onEnd(error);
        for (const answer of this.#waiting.splice(0)) answer.reject(comeAgain(error));
      },
    });
  }

  get busy(): number {
    return this.#waiting.length;
  }

  sign(key: SigningKey, text: string): Promise<string> {
    const answer = Promise.withResolvers<string>();
    this.#waiting.push(answer);
    this.#thread.send((line, worker) => {
      const { kid, algorithm, privateKey } = key;
      if (this.#kid !== kid) worker.postMessage({ kid, algorithm, privateKey } satisfies KeyForThread);
      this.#kid = kid;
      line.write(`${kid} ${text}\n`);
    });
    return answer.promise;
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }
}

/** Another thread can do it in a moment. */
function comeAgain(cause: unknown): Refusal {
  return new Refusal('signing_overloaded', { retryAfterSeconds: 1, cause });
}
