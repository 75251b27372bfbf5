import type { ErrorCode } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import type { RequiredClaims } from '../../base/provider-rules.ts';
import { isMarkedClient } from '../provider-marks.ts';
import { judged, type Step, shown } from './step.ts';

/** What a token is for: an access token, and for this API. */

/** Claims of people that a token without any scope has only if it is an ID token. */
const profileClaims = [
  'name',
  'email',
  'picture',
  'nickname',
  'preferred_username',
  'auth_time',
  'amr',
  'sid',
];

/** Supabase says `role`, and Firebase has no tokens but those that name it. */
const accessClaims = ['scope', 'scp', 'roles', 'permissions', 'role', 'firebase'];

function looksLikeIdToken(claims: JsonObject): boolean {
  // Nobody has signed in: a service account of Google has an address, too.
  if (typeof claims.sub === 'string' && isMarkedClient(claims, claims.sub)) return false;
  const grantsNothing = accessClaims.every((name) => !Object.hasOwn(claims, name));
  return grantsNothing && profileClaims.some((name) => Object.hasOwn(claims, name));
}

const idTokenCause =
  'This is an ID token: it tells the frontend who signed in, and opens no API. Send the access token.';

export function purposeStep(claims: JsonObject, code: ErrorCode | null): Step {
  const { typ } = claims;
  const isRefresh = typeof typ === 'string' && /^(refresh|offline)$/i.test(typ);
  const isLogout = Object.hasOwn(claims, 'events') || /^logout$/i.test(String(typ));
  const marks = ['at_hash', 'c_hash', 's_hash', 'nonce', 'events', 'typ'].filter((name) =>
    Object.hasOwn(claims, name),
  );
  return judged('purpose', code, 'nothing says that it is no access token', {
    expected: 'an access token',
    found: marks.length > 0 ? `the claims ${marks.join(', ')}` : 'what its provider has in ID tokens only',
    advice: isRefresh
      ? 'This is a refresh token. Trade it in at the provider for an access token, and send that.'
      : isLogout
        ? 'This is a logout token or a security event token, not an access token. Send the access token.'
        : idTokenCause,
  });
}

/** What a provider says only in its access tokens. */
export function useStep(claims: JsonObject, required: RequiredClaims, code: ErrorCode | null): Step {
  const names = Object.keys(required);
  const expected = names
    .map((name) =>
      required[name] === true ? `${name}, whatever it says` : `${name} ${quoted(required[name])}`,
    )
    .join(', ');
  // What a claim says that only has to be there is nobody's business.
  const found = names
    .map((name) => {
      const isThere = Object.hasOwn(claims, name);
      return `${name} ${required[name] === true ? (isThere ? '(not shown)' : 'none') : shown(claims[name])}`;
    })
    .join(', ');
  return judged('use', code, found, {
    expected,
    found,
    advice: `Access tokens of this provider have ${expected}, and this one does not: it is most likely an ID token. Send the access token.`,
  });
}

export function audienceStep(
  claims: JsonObject,
  claim: string,
  audiences: readonly string[],
  setting: string,
  code: ErrorCode | null,
): Step {
  const aud = claims[claim];
  const expected = audiences.map(quoted).join(' or ');
  const forOthers = `The token is for another audience: it says ${shown(aud)}${claim === 'aud' ? '' : ` ("${claim}")`}, and ${setting} is ${expected}.`;
  return judged('audience', code, shown(aud), {
    expected,
    found: shown(aud),
    // Where a provider has another claim for it, its tokens are not like those of others.
    advice:
      claim === 'aud' && looksLikeIdToken(claims)
        ? idTokenCause
        : `${forOthers} Ask the provider for a token for that audience (Keycloak: an audience mapper), or set ${setting}.`,
  });
}
