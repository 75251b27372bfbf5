import { isUsableName, namedAudience } from '../../base/caller.ts';
import { clockToleranceSeconds, hasBegun } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';

export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** A logout token tells of something that has just happened; the provider does not send it twice later. */
const longestAgeSeconds = 300;

/** Most providers write `logout+jwt`; Auth0 and older Keycloaks write `JWT`, or nothing. */
const types: ReadonlySet<string | undefined> = new Set(['logout+jwt', 'jwt', undefined]);

/** Ends one session, or all sessions of a subject. Times are milliseconds since 1970. */
export interface LogoutToken {
  readonly id: string;
  readonly subject: string | null;
  readonly sessionId: string | null;
  readonly issuedAt: number;
  /** From this time the logout token is refused. */
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
  // Only an ID token has one: none may ever be taken for a logout token, nor the other way round.
  if (Object.hasOwn(claims, 'nonce')) throw wrong('nonce');
  const subject = nameIn(sub);
  if (sub !== undefined && subject === null) throw wrong('sub');
  // What is no usable name of a session names none, as in an access token: then all tokens of the subject end.
  const sessionId = nameIn(sid);
  if (subject === null && sessionId === null) throw wrong('sub and sid');
  return {
    id,
    subject,
    sessionId,
    issuedAt: iat * 1000,
    // Claims may be fractions of a second; the database keeps whole milliseconds.
    expiresAt: Math.ceil((Math.min(exp, iat + longestAgeSeconds) + clockToleranceSeconds) * 1000),
  };
}

function isFresh(iat: number, nowSeconds: number): boolean {
  return (
    iat <= nowSeconds + clockToleranceSeconds && iat >= nowSeconds - longestAgeSeconds - clockToleranceSeconds
  );
}

/** The rule of access tokens (`auth/claims`), so that each subject that is let in can be signed out. */
function nameIn(value: unknown): string | null {
  return isUsableName(value) ? value : null;
}

function wrong(claim: string): Refusal {
  return new Refusal('logout_token_invalid', { detail: claim });
}
