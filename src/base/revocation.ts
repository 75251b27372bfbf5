/** A token is accepted for a few seconds past its `exp`, and clocks differ. */
const slackMs = 60_000;

/**
 * Revokes the tokens of a name that were issued up to a time (in milliseconds since 1970). It is kept until the last of
 * them has expired; they live for at most `lifeMs`.
 */
export function revocationOf(name: string, until: number, lifeMs: number) {
  const issuedUntil = Math.floor(until);
  return { name, issuedUntil, forgetAt: issuedUntil + lifeMs + slackMs };
}
