import type { SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Refusal, type RefusalOptions } from '../../base/errors.ts';
import type { BatchRulesSource, Outcome } from '../port.ts';
import { SqliteConnection, type StatementOutcome } from './connection.ts';
import { SqliteBatches } from './rows.ts';

/** The thread that owns the writing connection: commits and locks never block the event loop. */

export type SqliteRequest =
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly rules: BatchRulesSource }
  | { readonly operations: readonly unknown[] };

export type SqliteResult = StatementOutcome | PlainBatch | null;

export interface PlainBatch {
  readonly outcomes: readonly PlainOutcome[];
  readonly reloaded: readonly string[];
}

/** The number is that of the request; number 0 reports the result of opening. */
export type SqliteReply = { readonly id: number } & (
  | { readonly result: SqliteResult }
  | { readonly error: SqliteFailure }
);

export type PlainOutcome =
  | Outcome
  | { readonly refusal: { readonly code: Refusal['code']; readonly options: RefusalOptions } };

export interface SqliteFailure {
  readonly message: string;
  readonly resultCode: number | null;
}

/** SQLite's code for any error. Without one the thread would count as gone, and a bug of ours as a fault of the database. */
const sqliteError = 1;

function createWriter(connection: SqliteConnection) {
  let batches: SqliteBatches | null = null;
  return async (request: SqliteRequest): Promise<SqliteResult> => {
    try {
      connection.checkFile();
    } catch (error) {
      connection.undo();
      throw error;
    }
    if ('rules' in request) {
      const { createBatchRules } = await import(request.rules.module);
      batches = new SqliteBatches(connection.database, await createBatchRules(request.rules.data));
      return null;
    }
    if (!('operations' in request)) return connection.run(request.sql, request.parameters);
    if (batches === null) throw new Error('There are no rules for batches yet.');
    const { outcomes, reloaded } = batches.run(request.operations);
    return { outcomes: outcomes.map(toPlain), reloaded };
  };
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
    const answer = createWriter(connection);
    port.on('message', (message: { id: number; request: SqliteRequest } | null) => {
      if (message === null) {
        connection.close();
        port.close();
        return;
      }
      const { id, request } = message;
      answer(request).then(
        (result) => reply({ id, result }),
        (error) => reply({ id, error: failure(error) }),
      );
    });
    reply({ id: 0, result: null });
  } catch (error) {
    reply({ id: 0, error: failure(error) });
  }
}
