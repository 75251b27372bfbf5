/** A token counts for a few seconds past its end, and clocks are not all alike. */
const slackMs = 60_000;

/** What tokens that are taken back go by, and the wider name that stands for all tokens of whoever takes them back. */
export interface TakenBack {
  readonly name: string;
  /** Null where there is none: such a note is never replaced by a wider one. */
  readonly coveredBy: string | null;
}

/**
 * The note that tokens of that name are taken back which were issued up to a time (in milliseconds since 1970). It is kept
 * until the last of them has ended, which live for so long.
 */
export function revocationOf({ name, coveredBy }: TakenBack, until: number, lifeMs: number) {
  const issuedUntil = Math.floor(until);
  return { name, issuedUntil, forgetAt: issuedUntil + lifeMs + slackMs, coveredBy };
}
