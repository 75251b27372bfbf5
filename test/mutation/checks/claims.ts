import { checksOf, type Mutant } from '../mutant.ts';

const audience = ['test/attack/audience.test.ts'];
const times = ['test/attack/times.test.ts'];
const type = ['test/attack/type.test.ts'];
const subject = ['test/attack/subject.test.ts'];
const lifetime = ['test/attack/token-lifetime.test.ts'];
const scope = ['test/attack/scope.test.ts'];
const shapes = ['test/providers/shapes.test.ts'];

const ofClaims = checksOf('src/auth/claims.ts', type, [
  [
    'the issuer, once more after the signature',
    "if (…) throw new Refusal('issuer_mismatch');",
    '',
    'a mistake in choosing the issuer lets anybody in',
    ['test/attack/trusted-issuer.test.ts'],
  ],
  ['no ID tokens by their type', 'isOtherType || isIdToken', 'isIdToken', 'an ID token opens the door'],
  ['no ID tokens by their claims', 'isOtherType || isIdToken', 'isOtherType', 'an ID token opens the door'],
  [
    'no ID tokens by their nonce',
    'hasForeignNonce || isSecurityEvent',
    'isSecurityEvent',
    'an ID token opens the door',
  ],
  [
    'no security events',
    'hasForeignNonce || isSecurityEvent',
    'hasForeignNonce',
    'a logout token opens the door',
  ],
  ['the longest life', 'checkLifetime(…);', '', 'MAX_TOKEN_LIFETIME_SECONDS does nothing', lifetime],
  [
    'the audience',
    "if (…) throw new Refusal('audience_mismatch');",
    '',
    'a token for another API opens this one',
    audience,
  ],
  ['the required scopes', 'requireScopes(…);', '', 'IDP_REQUIRED_SCOPES does nothing', scope],
  [
    'the claims that an entry requires',
    'checkRequired(…);',
    '',
    'an ID token with the right audience opens the door',
    shapes,
  ],
  [
    'a required claim is there',
    'wanted === true ? Object.hasOwn(claims, name) : claims[name] === wanted',
    'wanted === true || claims[name] === wanted',
    'an ID token with the right audience opens the door',
    shapes,
  ],
  [
    'a nonce only where an entry allows it',
    " && statedType !== 'Bearer' && !allowsNonce",
    ' && false',
    'an ID token opens the door',
  ],
  [
    'ID tokens by the marks of their providers',
    ' || isMarkedIdToken(claims)',
    '',
    'an ID token of a program that is also the API opens the door',
    shapes,
  ],
  [
    'the audience from the claim that the entry names',
    'claims[policy.audienceClaim]',
    'claims.aud ?? claims[policy.audienceClaim]',
    'a token for another program opens this API',
    ['test/providers/audience-claim.test.ts'],
  ],
  [
    'our own tokens name their credentials',
    "if (!name) throw new Refusal('claim_invalid');",
    '',
    'a token that nobody can end passes as far as the standing of its client',
    ['test/attack/issuer.test.ts'],
  ],
  [
    'only our own tokens name credentials',
    'policy.clientsOnly ? credentialOf(claims) : null',
    'credentialOf(claims)',
    'the tokens of the provider need what only ours have',
    ['test/attack/issuer.test.ts'],
  ],
]);

const ofNames = checksOf('src/base/usable-name.ts', subject, [
  [
    'a subject is a text',
    "typeof value === 'string' && value !== ''",
    "value !== ''",
    'odd subjects end in a fault of ours',
  ],
  ['a subject is not empty', "value !== '' && ", '', 'everybody without a name is the same caller'],
  ['no NUL in a subject', "!value.includes('\\0') && ", '', 'a subject can imitate the parts of a pseudonym'],
  ['no broken letters in a subject', ' && value.isWellFormed()', '', 'different subjects become one caller'],
]);

const ofAudiences = checksOf('src/base/audience.ts', audience, [
  ['audiences are texts', 'allTexts ? ', 'true ? ', 'an odd list of audiences is accepted'],
  [
    'the audience is an exact text',
    'named.includes(audience)',
    'named.some((entry) => String(entry).startsWith(audience))',
    'a token for a neighbour opens this API',
  ],
]);

const ofBindings = checksOf(
  'src/auth/token-binding.ts',
  ['test/attack/bound-token.test.ts'],
  [
    [
      'no bound tokens',
      "if (…) throw new Refusal('token_bound');",
      '',
      'a stolen token works without the key it is bound to',
    ],
  ],
);

const ofTimes = checksOf('src/auth/token-times.ts', times, [
  [
    'a life of unknown length is too long',
    'issuedAtSeconds === null || expiresAtSeconds - issuedAtSeconds > mostSeconds',
    'issuedAtSeconds !== null && expiresAtSeconds - issuedAtSeconds > mostSeconds',
    'a token that hides its age lives for ever',
    lifetime,
  ],
  [
    'an expiry is there',
    "if (expiresAtSeconds === null) throw new Refusal('expiry_missing');",
    'if (expiresAtSeconds === null) return { expiresAtSeconds: 9e9, notBeforeSeconds: null, issuedAtSeconds: null };',
    'a token lives for ever',
  ],
  ['the expiry', "if (…) throw new Refusal('token_expired');", '', 'a stolen token works for ever'],
  [
    'the beginning',
    "if ((notBeforeSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');",
    '',
    'a token is used before its time',
  ],
  [
    'the time of issue',
    "if ((issuedAtSeconds ?? 0) > latestStart) throw new Refusal('token_not_yet_valid');",
    '',
    'a token from the future is accepted',
  ],
  ['times are numbers', "typeof value !== 'number' || ", '', 'a text is compared like a time'],
  ['times are not negative', 'value >= 0 && ', '', 'an impossible time is accepted'],
  [
    'times end with the year 9999',
    ' && value <= latestTimeSeconds',
    '',
    'a token lives for ever, and cannot be shown',
  ],
]);

const ofClocks = checksOf('src/base/clock.ts', times, [
  [
    'the tolerance for clocks',
    'export const clockToleranceSeconds = 5;',
    'export const clockToleranceSeconds = 60;',
    'expired tokens live a minute longer',
  ],
]);

const ofGrantedScopes = checksOf('src/auth/granted-scopes.ts', scope, [
  [
    'a list of scopes only where one is documented',
    " || (path.length === 1 && path[0] === 'scope')",
    '',
    'what no standard calls a list of scopes grants them',
  ],
  [
    'what cannot be a scope grants nothing',
    "value.filter((item) => typeof item === 'string' && isScopeName(item))",
    'value.map(String)',
    'the name of a group is taken apart and granted',
    shapes,
  ],
]);

const ofMarks = checksOf('src/auth/provider-marks.ts', shapes, [
  [
    'Cognito says what a token is for',
    "if (use === 'id') return true;",
    '',
    'an ID token opens the door',
    ['test/providers/audience-claim.test.ts'],
  ],
  ['Okta names ID tokens', "jti.startsWith('ID.')", 'false', 'an ID token opens the door'],
  ['Entra has no program in ID tokens', 'if (isOfEntra && ', 'if (false && ', 'an ID token opens the door'],
  [
    "Google's frontends are no APIs",
    "typeof aud === 'string' && aud.endsWith('.apps.googleusercontent.com')",
    'false',
    'an ID token opens the door',
  ],
  [
    'the client as its own subject',
    'subject === clientId || subject === azp || subject === cid',
    'false',
    'a machine counts as a person',
  ],
  ['clients of Auth0', "if (gty === 'client-credentials') return true;", '', 'a machine counts as a person'],
  ['programs of Entra that say so', "idtyp === 'app' || ", '', 'a machine counts as a person'],
  [
    'programs of Entra by their object',
    " || (oid === subject && !Object.hasOwn(claims, 'scp'))",
    '',
    'a machine counts as a person',
  ],
  [
    'people of Azure AD B2C by their scopes',
    "oid === subject && !Object.hasOwn(claims, 'scp')",
    'oid === subject',
    'a person counts as a machine',
  ],
  [
    'service accounts of Keycloak',
    "return typeof clientHost === 'string';",
    'return false;',
    'a machine counts as a person',
  ],
]);

const ofScopes = checksOf('src/base/scopes.ts', scope, [
  ['all required scopes', 'wanted.every((', 'wanted.some((', 'one of several scopes is enough'],
  [
    'a scope is an exact word',
    'granted.includes(scope)',
    'granted.some((each) => each.includes(scope))',
    '"nonadmin" is good for "admin"',
  ],
  [
    'the form of scopes',
    "listForm.test(text) ? text.split(' ') : null",
    'text.split(/[\\s,]+/)',
    'a list or a tab grants what no provider granted',
  ],
]);

export const claimChecks: readonly Mutant[] = [
  ...ofClaims,
  ...ofBindings,
  ...ofTimes,
  ...ofClocks,
  ...ofAudiences,
  ...ofNames,
  ...ofGrantedScopes,
  ...ofMarks,
  ...ofScopes,
];
