import { passed, quoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { type ClaimsPolicy, checkClaims, type VerifiedClaims } from '../claims.ts';
import { failedStep, judged, type Step, shown, tried } from './step.ts';
import { timesAsTheyAre, timesStep } from './times.ts';

/**
 * Every claim by itself: the verifier's own check is asked about the token as it would be were all its other claims
 * right. What is found here first is what the verifier finds.
 */
export function examineClaims(claims: JsonObject, policy: ClaimsPolicy, nowSeconds: number) {
  const { exp, nbf, iat, cnf, aud, sub, client_id, azp, gty, scope, jti } = claims;
  const right = {
    iss: policy.issuers[0],
    exp: nowSeconds + 60,
    aud: policy.audience,
    sub: 'somebody',
    jti: 'somebody.1',
  };
  const plain = { ...policy, requiredScopes: [], maxLifetimeSeconds: null };
  const check = (own: JsonObject, rules: ClaimsPolicy = plain) =>
    tried(() => checkClaims({ ...right, ...own }, rules, nowSeconds));
  const none = { nbf: undefined, iat: undefined, cnf: undefined };

  const purpose = check({ ...claims, ...none, ...right });
  const binding = check({ cnf });
  const times = check({ exp, nbf, iat }, { ...plain, maxLifetimeSeconds: policy.maxLifetimeSeconds });
  const audience = check({ aud });
  const subject = check({ sub, client_id, azp, gty });
  const scopes = check({ scope }, { ...plain, requiredScopes: policy.requiredScopes });
  const credentials = check({ jti });
  const steps = [
    purposeStep(claims, purpose.code),
    bindingStep(binding.code),
    timesStep(claims, times.code, nowSeconds, policy.maxLifetimeSeconds),
    audienceStep(claims, policy.audience, audience.code),
    subjectStep(subject.value, subject.code),
    scopesStep(scope, policy.requiredScopes, scopes.code),
    ...(policy.clientsOnly ? [credentialsStep(credentials.code)] : []),
  ];
  // Whom it would speak for; null when that cannot be told.
  const caller = subject.value && {
    ...subject.value,
    times: times.value?.times ?? timesAsTheyAre(claims),
    credentialId: credentials.value?.credentialId ?? null,
  };
  return { steps, caller };
}

type Code = ReturnType<typeof tried>['code'];

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

function looksLikeIdToken(claims: JsonObject): boolean {
  const grantsNothing = ['scope', 'scp', 'roles', 'permissions'].every(
    (name) => !Object.hasOwn(claims, name),
  );
  return grantsNothing && profileClaims.some((name) => Object.hasOwn(claims, name));
}

const idTokenCause =
  'This is an ID token: it tells the frontend who signed in, and opens no API. Send the access token.';

function purposeStep(claims: JsonObject, code: Code): Step {
  const { typ } = claims;
  const isRefresh = typeof typ === 'string' && /^(refresh|offline)$/i.test(typ);
  const isLogout = Object.hasOwn(claims, 'events') || /^logout$/i.test(String(typ));
  const marks = ['at_hash', 'c_hash', 's_hash', 'nonce', 'events', 'typ'].filter((name) =>
    Object.hasOwn(claims, name),
  );
  return judged('purpose', code, 'nothing says that it is no access token', {
    expected: 'an access token',
    found: `the claims ${marks.join(', ')}`,
    advice: isRefresh
      ? 'This is a refresh token. Trade it in at the provider for an access token, and send that.'
      : isLogout
        ? 'This is a logout token or another security event, and opens no API. Send the access token.'
        : idTokenCause,
  });
}

function bindingStep(code: Code): Step {
  return judged('binding', code, 'bound to no key: a plain bearer token', {
    expected: 'no "cnf"',
    found: '"cnf" (not shown)',
    advice:
      'The token is bound to a key or certificate (DPoP or mutual TLS), and only plain bearer tokens are taken here. Switch that off for this API at the provider.',
  });
}

function audienceStep(claims: JsonObject, audience: string, code: Code): Step {
  const { aud } = claims;
  const forOthers = `The token is for another audience: it says ${shown(aud)}, and API_AUDIENCE is ${quoted(audience)}.`;
  return judged('audience', code, shown(aud), {
    expected: quoted(audience),
    found: shown(aud),
    advice: looksLikeIdToken(claims)
      ? idTokenCause
      : `${forOthers} Ask the provider for a token for that audience (Keycloak: an audience mapper), or set API_AUDIENCE.`,
  });
}

function subjectStep(caller: VerifiedClaims | null, code: Code): Step {
  if (code !== null || caller === null) {
    return failedStep('subject', code ?? 'subject_invalid', {
      expected: 'a non-empty text',
      found: 'something else (not shown)',
      advice: 'The token names nobody that can be kept apart from others: "sub" must be a non-empty text.',
    });
  }
  if (caller.subject === null)
    return passed('subject', 'none: it opens /me, and nothing that is kept for somebody');
  const kind = caller.kind === 'client' ? 'a machine client (client credentials)' : 'a person';
  return passed('subject', `names somebody by "sub" (not shown): ${kind}`);
}

function scopesStep(scope: unknown, required: readonly string[], code: Code): Step {
  const found = shown(scope);
  const granted = typeof scope === 'string' ? scope.split(' ') : [];
  const missing = required.filter((name) => !granted.includes(name));
  return judged('scopes', code, required.length === 0 ? `none required; ${found}` : found, {
    expected: required.join(' '),
    found,
    advice: `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change IDP_REQUIRED_SCOPES.`,
  });
}

function credentialsStep(code: Code): Step {
  return judged('credentials', code, 'it says for which secret or key it was issued', {
    expected: 'a "jti" of POST /token',
    found: 'another',
    advice: 'The token was not made by POST /token of this service, although it names it.',
  });
}
