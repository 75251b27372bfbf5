import type { JsonObject } from '../base/strict-json.ts';

/** Rules that single providers document for their own tokens, beyond the standards. */

export function isMarkedIdToken(claims: JsonObject): boolean {
  const { token_use: use, jti, ver, tid, aud } = claims;
  // Amazon Cognito says "access" or "id".
  if (use === 'id') return true;
  // Okta begins the name of a token with its kind: "AT." or "ID.".
  if (ver === 1 && typeof jti === 'string' && jti.startsWith('ID.')) return true;
  // Entra: access tokens name the program that they were issued to and, for people, the granted scopes.
  const isOfEntra = typeof tid === 'string' && (ver === '1.0' || ver === '2.0');
  if (isOfEntra && ['azp', 'appid', 'scp'].every((name) => !Object.hasOwn(claims, name))) return true;
  // The claim with which Google names a frontend. Only ID tokens are for frontends.
  return typeof aud === 'string' && aud.endsWith('.apps.googleusercontent.com');
}

/**
 * True for a token of the client-credentials grant: its subject is the client, or another claim says so. Names that users
 * choose, such as `preferred_username`, prove nothing.
 */
export function isMarkedClient(claims: JsonObject, subject: string): boolean {
  const { client_id: clientId, azp, cid, gty, idtyp, oid, clientHost } = claims;
  // RFC 9068 section 2.2; Okta says `cid`.
  if (subject === clientId || subject === azp || subject === cid) return true;
  if (gty === 'client-credentials') return true;
  // Entra sends `idtyp` only if the registration asks for it. Otherwise `sub` equals `oid` for programs, while people have
  // a `sub` for each program. At Azure AD B2C `sub` equals `oid` for people, too, and they have `scp`; so do programs
  // there, which therefore count as people.
  if (idtyp === 'app' || (oid === subject && !Object.hasOwn(claims, 'scp'))) return true;
  // Keycloak writes the address of the client for service accounts only.
  return typeof clientHost === 'string';
}
