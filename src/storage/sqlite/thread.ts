import type { SQLInputValue } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../base/threads.ts';
import type { FileIdentity, SqliteFailure, SqliteReply, SqliteRequest, SqliteTask } from './worker.ts';

/** An error that SQLite reported, with its result code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly resultCode: number | null;

  constructor(failure: SqliteFailure) {
    super(failure.message);
    this.resultCode = failure.resultCode;
  }
}

type Result = Extract<SqliteReply, { rows: unknown }>;

/** This side of a thread that owns a connection: a statement goes over, a promise waits for its result. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #lastId = 0;
  #ended: SqliteError | null = null;

  private constructor(task: SqliteTask) {
    this.#worker = startThread(new URL('./worker.ts', import.meta.url), task);
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#end(String(error)));
    this.#worker.on('exit', () => this.#end('the connection is closed'));
  }

  /** For writing too; or, when it is said which file it has to be, for reading only. */
  static async open(file: string, onlyRead: FileIdentity | null = null): Promise<SqliteThread> {
    const thread = new SqliteThread({ file, onlyRead });
    const opened = thread.#expect(0);
    try {
      await opened;
    } catch (error) {
      await thread.close();
      throw error;
    }
    return thread;
  }

  run(sql: string, parameters: readonly SQLInputValue[]): Promise<Result> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#lastId += 1;
    const result = this.#expect(this.#lastId);
    this.#worker.postMessage({ id: this.#lastId, sql, parameters } satisfies SqliteRequest);
    return result;
  }

  async close(): Promise<void> {
    if (this.#ended !== null) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage(null);
    await exited;
  }

  #expect(id: number): Promise<Result> {
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  #settle(reply: SqliteReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new SqliteError(reply.error));
    else waiting?.resolve(reply);
  }

  #end(reason: string): void {
    this.#ended ??= new SqliteError({ message: reason, resultCode: null });
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.#waiting.clear();
  }
}
