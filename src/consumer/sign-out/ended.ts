/** Whose tokens a provider has taken back: of one session, or all of a subject. */
export interface Ended {
  /** Of the tokens. */
  readonly issuer: string;
  readonly subject: string | null;
  readonly sessionId: string | null;
  /** Tokens issued up to then, in milliseconds since 1970. */
  readonly until: number;
}

/** By how much the clock of a provider may be ahead. */
export const toleranceSeconds = 5;

const longestName = 512;

/** A claim that names something; null where it does not. NUL separates the parts of a pseudonym. */
export function nameIn(value: unknown): string | null {
  const usable = typeof value === 'string' && value !== '' && value.length <= longestName;
  return usable && !value.includes('\0') && value.isWellFormed() ? value : null;
}

export function isFor(aud: unknown, audiences: readonly string[]): boolean {
  const named = Array.isArray(aud) ? aud : [aud];
  return named.every((one) => typeof one === 'string') && named.some((one) => audiences.includes(one));
}
