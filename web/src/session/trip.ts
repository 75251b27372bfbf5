/**
 * One sign-in while the browser is at the provider: the PKCE verifier, state and nonce. Nothing else about a sign-in is
 * ever stored.
 */
export interface Trip {
  /** The issuer of the provider. The code is sent to no other (RFC 9207). */
  readonly issuer: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Without a login page (prompt=none). */
  readonly silent: boolean;
  /** The part of the address after `#`, to return to. */
  readonly returnTo: string;
}

const key = 'vestibule.trip';

export function beginTrip(trip: Trip): void {
  sessionStorage.setItem(key, JSON.stringify(trip));
}

/** The sign-in that has ended. It can be read once. */
export function endTrip(): Trip | null {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return text === null ? null : JSON.parse(text);
}
