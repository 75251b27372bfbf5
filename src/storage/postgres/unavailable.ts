import { DatabaseError } from 'pg';
import { Refusal } from '../../base/errors.ts';

/** SQLSTATE classes: connection, resources, operator intervention, system error; and the server not accepting us. */
const unavailableStates = /^(08|53|55|57|58|28|3D|25006|40)/;

export function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof Error) || error instanceof Refusal) return null;
  const code = (error as { code?: unknown }).code;
  if (error instanceof DatabaseError) {
    if (!unavailableStates.test(error.code ?? '')) return null;
    return new Refusal('storage_unavailable', {
      detail: `PostgreSQL answered with SQLSTATE ${error.code}`,
      cause: error,
    });
  }
  // What the driver throws by itself is about the connection: refused, reset, timed out, ended. Those are plain
  // errors or carry a system code; a subclass such as TypeError is a bug.
  if (typeof code !== 'string' && error.name !== 'Error') return null;
  const detail = `no connection to PostgreSQL (${typeof code === 'string' ? code : error.message})`;
  return new Refusal('storage_unavailable', { detail, cause: error });
}
