import { isUsableName, namedAudience } from '../../base/caller.ts';
import { clockToleranceSeconds, hasBegun } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/strict-json.ts';

export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** The maximum age of a logout token. The provider sends it at once and does not repeat it later. */
const longestAgeSeconds = 300;

/** Most providers write `logout+jwt`; Auth0 and older Keycloaks write `JWT` or no type. */
const types: ReadonlySet<string | undefined> = new Set(['logout+jwt', 'jwt', undefined]);

/** Ends one session, or all sessions of a subject. Times are milliseconds since 1970. */
export interface LogoutToken {
  readonly id: string;
  readonly subject: string | null;
  readonly sessionId: string | null;
  readonly issuedAt: number;
  /** The logout token is refused from this time on. */
  readonly expiresAt: number;
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6, after the signature. Pure: the time is passed in. */
export function checkLogoutToken(
  claims: JsonObject,
  audiences: readonly string[],
  type: string | undefined,
  nowSeconds: number,
): LogoutToken {
  const { aud, iat, nbf, exp, jti, sub, sid, events } = claims;
  if (!types.has(type)) throw wrong('typ');
  if (namedAudience(aud, audiences) === undefined) throw wrong('aud');
  if (typeof iat !== 'number' || !isFresh(iat, nowSeconds)) throw wrong('iat');
  if (!hasBegun(nbf, nowSeconds)) throw wrong('nbf');
  if (typeof exp !== 'number' || !(exp > nowSeconds - clockToleranceSeconds)) throw wrong('exp');
  const id = nameIn(jti);
  if (id === null) throw wrong('jti');
  if (!isJsonObject(events) || !isJsonObject(events[logoutEvent])) throw wrong('events');
  // Only ID tokens have a `nonce`: neither kind may pass for the other.
  if (Object.hasOwn(claims, 'nonce')) throw wrong('nonce');
  const subject = nameIn(sub);
  if (sub !== undefined && subject === null) throw wrong('sub');
  // An unusable `sid` counts as none, as in an access token: then all tokens of the subject end.
  const sessionId = nameIn(sid);
  if (subject === null && sessionId === null) throw wrong('sub and sid');
  return {
    id,
    subject,
    sessionId,
    issuedAt: iat * 1000,
    // Claims may be fractions of a second; the database stores whole milliseconds.
    expiresAt: Math.ceil((Math.min(exp, iat + longestAgeSeconds) + clockToleranceSeconds) * 1000),
  };
}

function isFresh(iat: number, nowSeconds: number): boolean {
  return (
    iat <= nowSeconds + clockToleranceSeconds && iat >= nowSeconds - longestAgeSeconds - clockToleranceSeconds
  );
}

/** The same rule as for access tokens (`auth/claims`), so that every admitted subject can be signed out. */
function nameIn(value: unknown): string | null {
  return isUsableName(value) ? value : null;
}

function wrong(claim: string): Refusal {
  return new Refusal('logout_token_invalid', { detail: claim });
}
