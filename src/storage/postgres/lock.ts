/** Serialises, until the transaction ends, everybody who takes the lock of that name. */
export const takeLock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

export function lockName(name: string): string {
  return `vestibule:${name}`;
}
