import type { SQLInputValue } from 'node:sqlite';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startThread } from '../../base/threads.ts';
import { Waiting } from '../../base/waiting.ts';
import type {
  FileIdentity,
  SqliteFailure,
  SqliteMessage,
  SqliteReply,
  SqliteRequest,
  SqliteTask,
} from './worker.ts';

/** An error that SQLite reported, with its result code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly resultCode: number | null;

  constructor(failure: SqliteFailure) {
    super(failure.message);
    this.resultCode = failure.resultCode;
  }
}

export type SqliteResult = Extract<SqliteReply, { rows: unknown }>;

/** A connection, wherever it is: a statement goes over, a promise waits for its result. */
export interface SqliteConnection {
  /** `within`: only as a part of a transaction. */
  run(sql: string, parameters: readonly SQLInputValue[], within?: boolean): Promise<SqliteResult>;
  close(): Promise<void>;
}

/** A thread, or another way to one. */
interface Port {
  postMessage(request: SqliteRequest): void;
  on(event: 'message', take: (reply: SqliteReply) => void): void;
}

/** What was asked of the thread of a connection and is not answered yet. */
class Questions {
  readonly #port: Port;
  readonly #waiting = new Waiting<PromiseWithResolvers<SqliteResult>>();
  #ended: SqliteError | null = null;

  constructor(port: Port) {
    this.#port = port;
    port.on('message', (reply) => this.#settle(reply));
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** The first question, asked by starting the thread. It has the number 0. */
  expectFirst(): Promise<SqliteResult> {
    const waiting = Promise.withResolvers<SqliteResult>();
    this.#waiting.add(waiting);
    return waiting.promise;
  }

  ask(sql: string, parameters: readonly SQLInputValue[], within = false): Promise<SqliteResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const waiting = Promise.withResolvers<SqliteResult>();
    this.#port.postMessage({ id: this.#waiting.add(waiting), sql, parameters, within });
    return waiting.promise;
  }

  end(reason: string): void {
    this.#ended ??= new SqliteError({ message: reason, resultCode: null });
    for (const waiting of this.#waiting.takeAll()) waiting.reject(this.#ended);
  }

  #settle(reply: SqliteReply): void {
    const waiting = this.#waiting.take(reply.id);
    if ('error' in reply) waiting?.reject(new SqliteError(reply.error));
    else waiting?.resolve(reply);
  }
}

const closed = 'the connection is closed';

/** This side of a thread that owns a connection. */
export class SqliteThread implements SqliteConnection {
  readonly #worker: Worker;
  readonly #questions: Questions;

  private constructor(task: SqliteTask) {
    this.#worker = startThread(new URL('./worker.ts', import.meta.url), task);
    this.#questions = new Questions(this.#worker);
    this.#worker.on('error', (error) => this.#questions.end(String(error)));
    this.#worker.on('exit', () => this.#questions.end(closed));
  }

  /** For writing too; or, when it is said which file it has to be, for reading only. */
  static async open(file: string, onlyRead: FileIdentity | null = null): Promise<SqliteThread> {
    const thread = new SqliteThread({ file, onlyRead });
    const opened = thread.#questions.expectFirst();
    try {
      await opened;
    } catch (error) {
      await thread.close();
      throw error;
    }
    return thread;
  }

  run(sql: string, parameters: readonly SQLInputValue[], within?: boolean): Promise<SqliteResult> {
    return this.#questions.ask(sql, parameters, within);
  }

  /** For `SharedSqlite` on another thread of this process: transactions of both take turns. */
  share(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ newcomer: port1 } satisfies SqliteMessage, [port1]);
    return port2;
  }

  async close(): Promise<void> {
    if (this.#questions.hasEnded) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage(null satisfies SqliteMessage);
    await exited;
  }
}

/** The connection of another thread. Whoever opened it closes it. */
export class SharedSqlite implements SqliteConnection {
  readonly #port: MessagePort;
  readonly #questions: Questions;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#questions = new Questions(port);
    port.once('close', () => this.#questions.end(closed));
  }

  run(sql: string, parameters: readonly SQLInputValue[], within?: boolean): Promise<SqliteResult> {
    return this.#questions.ask(sql, parameters, within);
  }

  async close(): Promise<void> {
    this.#port.close();
  }
}
