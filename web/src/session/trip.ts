/**
 * What has to be remembered while the browser is away at the provider: without the verifier the code is worth nothing,
 * and state and nonce tie the answer to the question. It is the one thing about signing in that is ever stored.
 */
export interface Trip {
  /** Where it leads. The code is shown to nobody else (RFC 9207). */
  readonly issuer: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Asked without a page for the person (prompt=none). */
  readonly silent: boolean;
  /** The part of the address after `#`, to come back to. */
  readonly returnTo: string;
}

const key = 'vestibule.trip';

export function beginTrip(trip: Trip): void {
  sessionStorage.setItem(key, JSON.stringify(trip));
}

/** The trip that is over now; whatever came of it, nobody can take it twice. */
export function endTrip(): Trip | null {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return text === null ? null : JSON.parse(text);
}
