import { DatabaseError } from 'pg';
import { Refusal } from '../../base/errors.ts';

/** SQLSTATE classes: connection, resources, operator intervention, system error; and the server not accepting us. */
const unavailableStates = /^(08|53|55|57|58|28|3D|25006|40)/;
const readOnlyState = '25006';

/** Whether a session refused to write, because its server only reads. */
export function onlyReads(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === readOnlyState;
}

export function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof Error) || error instanceof Refusal) return null;
  const code = (error as { code?: unknown }).code;
  if (error instanceof DatabaseError) {
    if (!unavailableStates.test(error.code ?? '')) return null;
    const detail = `PostgreSQL ${onlyReads(error) ? 'only reads: it ' : ''}answered with SQLSTATE ${error.code}`;
    return new Refusal('storage_unavailable', { detail, cause: error });
  }
  // What the driver throws by itself is about the connection: refused, reset, timed out, ended. Those are plain
  // errors or carry a system code; a subclass such as TypeError is a bug.
  if (typeof code !== 'string' && error.name !== 'Error') return null;
  const detail = `no connection to PostgreSQL (${typeof code === 'string' ? code : error.message})`;
  return new Refusal('storage_unavailable', { detail, cause: error });
}
