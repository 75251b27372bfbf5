import type { TokenBinding, VerifiedClaims } from '../../base/caller.ts';
import { passed, quoted } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { RequiredClaims } from '../../base/provider-rules.ts';
import { type ClaimsPolicy, checkClaims } from '../claims.ts';
import { clientMarks } from '../provider-marks.ts';
import type { NamedRules } from './issuer.ts';
import { failedStep, judged, type Step, shown, tried } from './step.ts';
import { timesAsTheyAre, timesStep } from './times.ts';

/**
 * Every claim by itself: the verifier's own check is asked about the token as it would be were all its other claims
 * right. What is found here first is what the verifier finds.
 */
export function examineClaims(claims: JsonObject, issuer: NamedRules, nowSeconds: number) {
  const { claims: policy, settings } = issuer;
  const { audienceClaim, maxLifetimeSeconds } = policy;
  const { exp, nbf, iat, cnf, sub, jti, sid } = claims;
  const audiences = policy.audiences ?? [];
  const right = {
    sub: 'somebody',
    jti: 'somebody.1',
    ...Object.fromEntries(
      Object.entries(policy.requiredClaims).map(([name, text]) => [name, text === true ? 'there' : text]),
    ),
    iss: policy.issuers[0],
    exp: nowSeconds + 60,
    [audienceClaim]: audiences[0],
  };
  const plain = {
    ...policy,
    requiredScopes: [],
    maxLifetimeSeconds: null,
    binding: { ...policy.binding, required: false },
  };
  const check = (own: JsonObject, rules: ClaimsPolicy = plain) =>
    tried(() => checkClaims(withoutUnset({ ...right, ...own }), rules, nowSeconds));

  const purpose = check({ ...claims, iss: right.iss }, { ...plain, requiredClaims: {} });
  const binding = check({ cnf }, { ...plain, binding: policy.binding });
  const times = check({ exp, nbf, iat }, { ...plain, maxLifetimeSeconds: policy.maxLifetimeSeconds });
  const audience = check({ [audienceClaim]: claims[audienceClaim] });
  const use = check(among(claims, Object.keys(policy.requiredClaims)));
  // Where the program stands for the audience, a wrong one is said of the audience only.
  const forUs = audience.code === null ? {} : { [audienceClaim]: audiences[0] };
  const subject = check({ ...among(claims, clientMarks), ...forUs, sub, sid });
  const granting = among(
    claims,
    policy.scopesFrom.map(([name]) => name),
  );
  const scopes = check({ ...granting, ...right }, { ...plain, requiredScopes: policy.requiredScopes });
  const granted = check({ ...granting, ...right }).value?.scopes ?? [];
  const credentials = check({ jti });
  const steps = [
    // Asked before everything else about the claims: another code is of what comes after it.
    purposeStep(claims, purpose.code === 'token_type_not_allowed' ? purpose.code : null),
    bindingStep(cnf, binding.value?.boundTo ?? null, binding.code),
    timesStep(claims, times.code, nowSeconds, { maxLifetimeSeconds, setting: settings.maxLifetime }),
    ...(Object.keys(policy.requiredClaims).length > 0
      ? [useStep(claims, policy.requiredClaims, use.code)]
      : []),
    audienceStep(claims, audienceClaim, audiences, settings.audience, audience.code),
    subjectStep(subject.value, subject.code),
    scopesStep(granted, policy.requiredScopes, settings.requiredScopes, scopes.code),
    ...(policy.clientsOnly ? [credentialsStep(credentials.code)] : []),
  ];
  // Whom it would speak for; null when that cannot be told.
  const caller = subject.value && {
    ...subject.value,
    times: times.value?.times ?? timesAsTheyAre(claims),
    credentialId: credentials.value?.credentialId ?? null,
    boundTo: binding.value?.boundTo ?? null,
    tokenId: credentials.value?.tokenId ?? null,
  };
  return { steps, caller };
}

/** Those of a token that have these names; undefined for one that it does not have. */
function among(claims: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(claims, name) ? claims[name] : undefined]),
  );
}

function withoutUnset(claims: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
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

/** Supabase says `role`, and Firebase has no tokens but those that name it. */
const accessClaims = ['scope', 'scp', 'roles', 'permissions', 'role', 'firebase'];

function looksLikeIdToken(claims: JsonObject): boolean {
  const grantsNothing = accessClaims.every((name) => !Object.hasOwn(claims, name));
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
    found: marks.length > 0 ? `the claims ${marks.join(', ')}` : 'what its provider has in ID tokens only',
    advice: isRefresh
      ? 'This is a refresh token. Trade it in at the provider for an access token, and send that.'
      : isLogout
        ? 'This is a logout token or another security event, and opens no API. Send the access token.'
        : idTokenCause,
  });
}

/** What a bound token needs besides being sent. */
const needs = {
  dpop: 'bound to a key (DPoP): to be sent as "Authorization: DPoP <token>", with a new proof by that key in the header DPoP each time',
  mtls: 'bound to a certificate (mutual TLS): to be sent over a connection that shows it',
};

function bindingStep(cnf: unknown, boundTo: TokenBinding | null, code: Code): Step {
  const found = boundTo === null ? 'bound to no key: a plain bearer token' : needs[boundTo.method];
  if (code === 'proof_required') {
    return judged('binding', code, found, {
      expected: '"cnf" with "jkt"',
      found: 'no "cnf"',
      advice:
        'Only tokens that are bound to a key are taken here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
    });
  }
  const names = isJsonObject(cnf) ? Object.keys(cnf) : [];
  return judged('binding', code, found, {
    expected: 'no "cnf", or one that can be proven here',
    found: '"cnf" (not shown)',
    advice: names.includes('jkt')
      ? 'The token is bound to a key (DPoP), which is not taken here as it is. Set DPOP=on; with that on, "cnf" must have the one member "jkt", a SHA-256 in base64url.'
      : names.includes('x5t#S256')
        ? 'The token is bound to a certificate (mutual TLS), which is not taken here as it is. Set MTLS=on, or MTLS_CERT_HEADER behind a proxy; with that, "cnf" must have the one member "x5t#S256", a SHA-256 in base64url.'
        : 'The token is bound to a key or certificate in a way that cannot be proven here. Switch that off for this API at the provider.',
  });
}

/** What a provider says only in its access tokens. */
function useStep(claims: JsonObject, required: RequiredClaims, code: Code): Step {
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

function audienceStep(
  claims: JsonObject,
  claim: string,
  audiences: readonly string[],
  setting: string,
  code: Code,
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

function scopesStep(
  granted: readonly string[],
  required: readonly string[],
  setting: string,
  code: Code,
): Step {
  const found = granted.length === 0 ? 'none' : quoted(granted.join(' '));
  const missing = required.filter((name) => !granted.includes(name));
  return judged('scopes', code, required.length === 0 ? `none required; ${found}` : found, {
    expected: required.join(' '),
    found,
    advice: `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change ${setting}.`,
  });
}

function credentialsStep(code: Code): Step {
  return judged('credentials', code, 'it says for which secret or key it was issued', {
    expected: 'a "jti" of POST /token',
    found: 'another',
    advice: 'The token was not made by POST /token of this service, although it names it.',
  });
}
