import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../base/errors.ts';
import type { BatchRulesSource, OnReload, Outcome } from '../port.ts';
import type { StatementOutcome } from './connection.ts';
import type {
  PlainBatch,
  PlainOutcome,
  SqliteFailure,
  SqliteReply,
  SqliteRequest,
  SqliteResult,
} from './worker.ts';

export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly resultCode: number | null;

  constructor(failure: SqliteFailure) {
    super(failure.message);
    this.resultCode = failure.resultCode;
  }
}

/** The client side of the thread that owns the writing connection. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #asked = new Map<number, PromiseWithResolvers<SqliteResult>>();
  #count = 0;
  #ended: SqliteError | null = null;

  private constructor(file: string) {
    this.#worker = new Worker(new URL('./worker-start.js', import.meta.url), { workerData: { file } });
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#end(String(error)));
    this.#worker.on('exit', () => this.#end('the connection is closed'));
  }

  static async open(file: string): Promise<SqliteThread> {
    const thread = new SqliteThread(file);
    try {
      await thread.#expect();
    } catch (error) {
      await thread.close();
      throw error;
    }
    return thread;
  }

  run(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementOutcome> {
    return this.#ask({ sql, parameters }) as Promise<StatementOutcome>;
  }

  async decideBy(rules: BatchRulesSource): Promise<void> {
    await this.#ask({ rules });
  }

  async runBatch(operations: readonly unknown[], onReload: OnReload): Promise<readonly Outcome[]> {
    const { outcomes, reloaded } = (await this.#ask({ operations })) as PlainBatch;
    if (reloaded.length > 0) onReload(reloaded);
    return outcomes.map(fromPlain);
  }

  async close(): Promise<void> {
    if (this.#ended !== null) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage(null);
    await exited;
  }

  #ask(request: SqliteRequest): Promise<SqliteResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#worker.postMessage({ id: this.#count, request });
    return this.#expect();
  }

  #expect(): Promise<SqliteResult> {
    const asked = Promise.withResolvers<SqliteResult>();
    this.#asked.set(this.#count, asked);
    this.#count += 1;
    return asked.promise;
  }

  #settle(reply: SqliteReply): void {
    const asked = this.#asked.get(reply.id);
    this.#asked.delete(reply.id);
    if ('error' in reply) asked?.reject(new SqliteError(reply.error));
    else asked?.resolve(reply.result);
  }

  #end(reason: string): void {
    this.#ended ??= new SqliteError({ message: reason, resultCode: null });
    for (const asked of this.#asked.values()) asked.reject(this.#ended);
    this.#asked.clear();
  }
}

function fromPlain(outcome: PlainOutcome): Outcome {
  if (!('refusal' in outcome)) return outcome;
  return { error: new Refusal(outcome.refusal.code, outcome.refusal.options) };
}
