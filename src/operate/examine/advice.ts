import { maxTokenBytes } from '../../auth/jws.ts';
import { isMarkedClient } from '../../auth/provider-marks.ts';
import { assigned, quoted, unquoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/strict-json.ts';
import type { ExaminedIssuer, TraceContext } from './context.ts';

/** A member of a token that may be shown: a text or a list of texts. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const isText = (entry: unknown) => typeof entry === 'string';
  const isShowable = isText(value) || (Array.isArray(value) && value.every(isText));
  return isShowable ? quoted(value) : 'not a text (not shown)';
}

export function shownTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** The claims that all access tokens of this provider have. */
export function requiredShown({ claims: { requiredClaims } }: ExaminedIssuer): string {
  const each = ([name, text]: [string, string | true]) =>
    text === true ? `${name} with any value` : `${name} ${quoted(text)}`;
  return Object.entries(requiredClaims).map(each).join(', ');
}

/** What to do about an issuer that is not accepted. Most are nearly right. */
export function issuerAdvice({ claims: { iss }, issuers }: TraceContext): string {
  const { origin, issuer: setting } = issuers[0].settings;
  if (typeof iss !== 'string')
    return `The issuer is missing, but every provider names one. Check ${origin} and ${setting}.`;
  if (iss.includes('{'))
    return `This is the address for all tenants, but each token names its own tenant. Set ${setting} to the address of your tenant, with its id.`;
  const accepted = issuers.flatMap(({ claims, settings }) =>
    claims.issuers.map((issuer) => ({
      issuer,
      says: `found ${quoted(iss)}, expected ${quoted(issuer)}`,
      change: assigned([settings.issuer, unquoted(iss)]),
    })),
  );
  /** The first accepted issuer for which `same` gives the same value as for the token's issuer. */
  const nearest = (partOf: (issuer: string) => string | undefined) => {
    const part = partOf(iss);
    return accepted.find(({ issuer }) => part !== undefined && partOf(issuer) === part);
  };
  const twin = nearest((issuer) => issuer.replace(/\/+$/, ''));
  if (twin !== undefined)
    return `The issuer differs only by its trailing slash: ${twin.says}. Set ${twin.change}`;
  const isEntra = accepted.some(({ issuer }) => issuer.startsWith('https://login.microsoftonline.com'));
  if (isEntra && iss.startsWith('https://sts.windows.net/'))
    return `This is a version 1 token of Entra (${quoted(iss)}). Set "requestedAccessTokenVersion": 2 in the manifest of the API's app registration.`;
  const sibling =
    nearest((issuer) => URL.parse(issuer)?.host) ??
    // The last two names of the host.
    nearest((issuer) => URL.parse(issuer)?.hostname.match(/[a-z][^.]*\.[a-z][^.]*$/)?.[0]);
  if (sibling !== undefined)
    return `This is another tenant or realm of the same provider: ${sibling.says}. Sign in at the accepted one, or set ${sibling.change}`;
  const todo =
    issuers.length > 2
      ? 'Add an entry for it to IDPS_FILE, or let your frontend sign in at one of these.'
      : `Set ${origin} (and ${setting}) to the provider that your frontend signs in at.`;
  return `The issuer is ${quoted(iss)}, and only ${accepted.map(({ issuer }) => quoted(issuer)).join(', ')} are accepted. ${todo}`;
}

const wantsJwt =
  'Ask the provider for a signed JWT: name this API (API_AUDIENCE) when you ask for the token.';

/** What a string that is not a JWT most likely is, and what to send instead. */
export function adviceByLooks(text: string): string {
  const parts = text.split('.');
  if (/^[{[]/.test(text))
    return 'This is JSON, probably the whole answer of a token endpoint. Send the value of its "access_token" alone.';
  if (/\s/.test(text))
    return 'The token contains spaces or line breaks, for example from a narrow window. Copy it in one piece.';
  if (text.length > maxTokenBytes)
    return `The token has ${text.length} bytes, and at most ${maxTokenBytes} are accepted. Configure the provider to write fewer claims (groups, roles).`;
  if (parts.length === 5)
    return `This is a JWE: an encrypted token that only its provider can read. Auth0 issues one when no audience was asked for. ${wantsJwt}`;
  if (text.startsWith('ya29.'))
    return 'This is an opaque access token of Google, which only Google can check. Google issues no access token for an API of your own; put a provider in between that does.';
  if (/^(1\/\/|[01]\.A|v1\.M)/.test(text))
    return 'This looks like a refresh token. Exchange it for an access token at the provider, and send that.';
  if (parts.length === 1) return `This is an opaque token: it contains nothing to verify. ${wantsJwt}`;
  if (parts.length === 2 || (parts.length === 3 && parts[2] === ''))
    return 'The signature is missing. Send the complete token.';
  if (parts.length === 3)
    return 'The token has three parts, but one of them is not base64url or not the expected JSON: it was cut off or changed on the way.';
  return `This is not a JWT. ${wantsJwt}`;
}

export const idTokenAdvice =
  'This is an ID token, which is for the frontend and not for an API. Send the access token.';

export function purposeAdvice(claims: JsonObject): string {
  const typ = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : '';
  if (typ === 'refresh' || typ === 'offline')
    return 'This is a refresh token. Exchange it for an access token at the provider, and send that.';
  return typ === 'logout' || Object.hasOwn(claims, 'events')
    ? 'This is a logout token or a security event token, not an access token. Send the access token.'
    : idTokenAdvice;
}

const profileClaims = 'name email picture nickname preferred_username auth_time amr sid'.split(' ');
/** Supabase says `role`, and all tokens of Firebase have `firebase`. */
const accessClaims = 'scope scp roles permissions role firebase'.split(' ');

/** True for a token of a person that grants no scope. */
export function looksLikeIdToken(claims: JsonObject): boolean {
  // A service account of Google has an address, too.
  if (typeof claims.sub === 'string' && isMarkedClient(claims, claims.sub)) return false;
  const has = (name: string) => Object.hasOwn(claims, name);
  return !accessClaims.some(has) && profileClaims.some(has);
}
