import type { SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Refusal, type RefusalOptions } from '../../base/errors.ts';
import type { BatchRulesSource, Outcome } from '../port.ts';
import { SqliteBatches } from './batch.ts';
import { SqliteConnection, type StatementOutcome } from './connection.ts';

/** The thread that owns the connection that writes: commits and locks never block the event loop. */

/** What is asked of the thread; the answer has the same number. */
export type SqliteRequest = { readonly id: number } & (
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  /** By which rules batches are decided from now on. */
  | { readonly rules: BatchRulesSource }
  | { readonly operations: readonly unknown[] }
);

export type SqliteReply = { readonly id: number } & (
  | { readonly result: StatementOutcome | readonly PlainOutcome[] | null }
  | { readonly error: SqliteFailure }
);

export type PlainOutcome =
  | Outcome
  | { readonly refusal: { readonly code: Refusal['code']; readonly options: RefusalOptions } };

/** An error in a form that crosses threads. Number 0 reports how opening went. */
export interface SqliteFailure {
  readonly message: string;
  readonly resultCode: number | null;
}

/** SQLite's code for any error. Without one the thread would count as gone, and a mistake of ours as the database's. */
const sqliteError = 1;

class Writer {
  readonly #connection: SqliteConnection;
  #batches: SqliteBatches | null = null;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async answer(request: SqliteRequest): Promise<SqliteReply> {
    const { id } = request;
    try {
      this.#connection.checkFile();
    } catch (error) {
      this.#connection.undo();
      return { id, error: failure(error) };
    }
    try {
      if ('rules' in request) {
        const { createBatchRules } = await import(request.rules.module);
        const rules = await createBatchRules(request.rules.data);
        this.#batches = new SqliteBatches(this.#connection.database, rules);
        return { id, result: null };
      }
      if ('operations' in request) return { id, result: this.#runBatch(request.operations) };
      return { id, result: this.#connection.run(request.sql, request.parameters) };
    } catch (error) {
      return { id, error: failure(error) };
    }
  }

  #runBatch(operations: readonly unknown[]): readonly PlainOutcome[] {
    if (this.#batches === null) throw new Error('There are no rules for batches yet.');
    return this.#batches.run(operations).map(toPlain);
  }
}

function toPlain(outcome: Outcome): PlainOutcome {
  if ('done' in outcome || !(outcome.error instanceof Refusal)) return outcome;
  const { code, options } = outcome.error;
  const { cause: _, ...plain } = options;
  return { refusal: { code, options: plain } };
}

function failure(error: unknown): SqliteFailure {
  const { message, errcode } = error as { message?: unknown; errcode?: unknown };
  return { message: String(message), resultCode: typeof errcode === 'number' ? errcode : sqliteError };
}

if (parentPort !== null) {
  const port = parentPort;
  const reply = (message: SqliteReply) => port.postMessage(message);
  try {
    const connection = SqliteConnection.forWriting(workerData.file);
    const writer = new Writer(connection);
    port.on('message', (request: SqliteRequest | null) => {
      if (request !== null) return void writer.answer(request).then(reply);
      connection.close();
      port.close();
    });
    reply({ id: 0, result: null });
  } catch (error) {
    reply({ id: 0, error: failure(error) });
  }
}
