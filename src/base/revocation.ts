/** Added to the lifetime of a revocation: a token is accepted for a few seconds past its `exp`, and clocks differ. */
const slackMs = 60_000;

/** Revokes tokens that were issued up to a time (ms since 1970). Kept until the last has expired, after at most `lifeMs`. */
export function revocationOf(name: string, until: number, lifeMs: number) {
  const issuedUntil = Math.floor(until);
  return { name, issuedUntil, forgetAt: issuedUntil + lifeMs + slackMs };
}
