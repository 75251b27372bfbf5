import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { Answer, BearerHandler } from '../../base/handler.ts';
import { LineThread } from '../../base/line-thread.ts';
import { fromPlain } from '../../base/plain-error.ts';
import type { LineAddress } from '../../base/thread-line.ts';
import { Waiting } from '../../base/waiting.ts';
import { tell, type WriteCall, type WriteReply } from './write-call.ts';
import type { Write } from './write-handler.ts';

interface WriteThreadOptions {
  start(line: LineAddress): Worker;
  readonly clock: Clock;
  /** The thread has ended that should not have. Whoever waited for it was told to come again. */
  onFailure(error: unknown): void;
}

/**
 * The event loop's side of the thread on which records are written. A write goes through many small steps, and a crowd
 * of them would be in everybody's way here; there they give way to all who only ask. The thread starts with the first
 * write, and one that has ended, which should not happen, is replaced at the next.
 */
export class WriteThread {
  readonly #options: WriteThreadOptions;
  readonly #waiting = new Waiting<PromiseWithResolvers<Answer>>();
  #thread: LineThread | null = null;
  #isStopped = false;

  constructor(options: WriteThreadOptions) {
    this.#options = options;
  }

  handler(collection: string, write: Write): BearerHandler {
    return (input, { id, kind, scopes, credentialId }) =>
      this.#call({
        collection,
        write,
        now: this.#options.clock.now(),
        ...tell(input),
        writer: { id, kind, scopes, credentialId },
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.stop();
  }

  #call(what: Omit<WriteCall, 'id'>): Promise<Answer> {
    if (this.#isStopped) return Promise.reject(comeAgain('The service stops.'));
    const answer = Promise.withResolvers<Answer>();
    const call: WriteCall = { id: this.#waiting.add(answer), ...what };
    this.#thread ??= this.#start();
    this.#thread.send((line) => line.write(`${JSON.stringify(call)}\n`));
    return answer.promise;
  }

  #start(): LineThread {
    const { start, onFailure } = this.#options;
    return new LineThread({
      start,
      onLines: (lines) => {
        for (const line of lines) this.#settle(JSON.parse(line));
      },
      onEnd: (error) => {
        this.#thread = null;
        for (const answer of this.#waiting.takeAll()) answer.reject(comeAgain(error));
        if (!this.#isStopped) onFailure(error);
      },
    });
  }

  #settle(reply: WriteReply): void {
    const waiting = this.#waiting.take(reply.id);
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else waiting?.reject(fromPlain(reply.error));
  }
}

/** Whether it was written nobody knows, as when the connection to the database breaks. */
function comeAgain(cause: unknown): Refusal {
  const detail = 'the thread that writes records has ended';
  return new Refusal('storage_unavailable', { detail, retryAfterSeconds: 1, cause });
}
