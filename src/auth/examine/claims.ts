import type { JsonObject } from '../../base/json-object.ts';
import { type ClaimsPolicy, checkClaims } from '../claims.ts';
import { clientMarks } from '../provider-marks.ts';
import { bindingStep } from './binding.ts';
import type { NamedRules } from './issuer.ts';
import { audienceStep, purposeStep, useStep } from './purpose.ts';
import { tried } from './step.ts';
import { credentialsStep, scopesStep, subjectStep } from './subject.ts';
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
  const plain: ClaimsPolicy = {
    ...policy,
    requiredScopes: [],
    maxLifetimeSeconds: null,
    dpop: policy.dpop === 'off' ? 'off' : 'on',
  };
  const check = (own: JsonObject, rules: ClaimsPolicy = plain) =>
    tried(() => checkClaims(withoutUnset({ ...right, ...own }), rules, nowSeconds));

  const purpose = check({ ...claims, iss: right.iss }, { ...plain, requiredClaims: {} });
  const binding = check({ cnf }, { ...plain, dpop: policy.dpop });
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
    scopes: granted,
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
