import { DatabaseError } from 'pg';
import { Refusal } from '../../base/errors.ts';

/** SQLSTATE classes: connection, resources, operator intervention, system error; also a server that does not accept us. */
const unavailableStates = /^(08|53|55|57|58|28|3D|25006|40)/;
/** Insufficient privilege, or no schema that this role can use. */
const withoutRights = /^(42501|3F000)$/;
const readOnlyState = '25006';

export function onlyReads(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === readOnlyState;
}

export function wasCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}

/** True if a session does not have the prepared statement, or another one of that name. */
export function isUnknownStatement(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05');
}

/**
 * SQLSTATEs of a server that starts, stops or is full, and system codes. A wrong password or certificate is not temporary.
 */
const temporaryCodes = /^(08|53|57P|E(?!RR_))/;

/** True if the same connection may work soon. Errors without a code are timeouts and closed connections. */
export function isTemporary(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === undefined || (typeof code === 'string' && temporaryCodes.test(code));
}

export function unavailable(error: unknown): Refusal | null {
  if (!(error instanceof Error) || error instanceof Refusal) return null;
  const code = (error as { code?: unknown }).code;
  if (error instanceof DatabaseError) {
    const state = error.code ?? '';
    if (!unavailableStates.test(state) && !withoutRights.test(state)) return null;
    // This message names a table or schema, never stored data.
    const said = withoutRights.test(state) ? ` (${error.message})` : '';
    const detail = `PostgreSQL ${onlyReads(error) ? 'is read-only: it ' : ''}answered with SQLSTATE ${state}${said}`;
    return new Refusal('storage_unavailable', { detail, fault: state, cause: error });
  }
  // The driver's own errors are about the connection: refused, reset, timed out, ended. Those are plain errors or carry a
  // system code; a subclass such as TypeError is a bug.
  if (typeof code !== 'string' && error.name !== 'Error') return null;
  const fault = typeof code === 'string' ? code : undefined;
  const detail = `no connection to PostgreSQL (${fault ?? error.message})`;
  return new Refusal('storage_unavailable', { detail, fault, cause: error });
}
