import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { explained, leaksOf } from '../support/commands/explained.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, runVestibule } from '../support/services/service.ts';
import { base64url, compact, hmac } from '../support/tokens/forged-token.ts';
import { makeKey, type TestProvider } from '../support/tokens/provider.ts';

const issuer = 'https://tenant-one.login.example/realms/main';
const hour = 3600;
const now = () => Math.floor(Date.now() / 1000);

/** Makes a token, and the cause in one line. */
type Case = readonly [make: (provider: TestProvider) => string | Promise<string>, says: RegExp];

const rightClaims = { iss: issuer };
const token =
  (claims: object, header: object = {}) =>
  (provider: TestProvider) =>
    provider.token({ ...rightClaims, ...claims }, { ...header });

const cases: Record<string, Record<string, Case>> = {
  accepted: {
    'a valid token': [token({}), /^The token is accepted\.$/],
    'a token of the client-credentials grant': [token({ sub: 'robot-1', client_id: 'robot-1' }), /accepted/],
    'a token without a subject': [token({ sub: undefined }), /accepted/],
  },
  token_malformed: {
    'an opaque token': [() => randomUUID().replaceAll('-', ''), /^This is an opaque token/],
    'an opaque Google access token': [
      () => `ya29.${base64url('opaque as opaque can be')}`,
      /^This is an opaque access token of Google/,
    ],
    'a Google refresh token': [
      () => `1//0${base64url('a refresh token of the opaque kind')}`,
      /^This looks like a refresh token/,
    ],
    'a JWE': [
      () => ['{"alg":"RSA-OAEP","enc":"A256GCM"}', 'key', 'iv', 'text', 'tag'].map(base64url).join('.'),
      /^This is a JWE: an encrypted token/,
    ],
    'a JWE with direct encryption, as from Auth0': [
      () =>
        `${base64url('{"alg":"dir","enc":"A256GCM"}')}..${['iv', 'text', 'tag'].map(base64url).join('.')}`,
      /^This is a JWE.*Auth0/,
    ],
    'a token without its signature': [
      async (provider) => (await provider.token(rightClaims)).split('.').slice(0, 2).join('.'),
      /^The signature is missing/,
    ],
    'a truncated token': [
      async (provider) => {
        const [header, payload, signature] = (await provider.token(rightClaims)).split('.');
        return `${header}.${payload?.slice(0, -7)}.${signature}`;
      },
      /cut off or changed on the way/,
    ],
  },
  authorization_malformed: {
    'a token with a line break inside': [
      async (provider) => (await provider.token(rightClaims)).replace(/^.{40}/, '$& '),
      /contains spaces or line breaks/,
    ],
    'the whole answer of a token endpoint': [
      () => '{"access_token":"a.b.c","token_type":"Bearer"}',
      /^This is JSON.*"access_token"/,
    ],
  },
  token_too_large: {
    'a token that is too long': [
      token({ groups: 'x'.repeat(7_000) }),
      /^The token has \d+ bytes, and at most 8192/,
    ],
  },
  headers_too_large: {
    'a token longer than the headers may be': [
      token({ groups: 'x'.repeat(20_000) }),
      /^The token has \d+ bytes/,
    ],
  },
  token_type_not_allowed: {
    'an ID token': [
      token({ nonce: 'n-0S6', at_hash: 'x', scope: undefined, aud: 'web-client' }),
      /^This is an ID token/,
    ],
    'a refresh token that is a JWT': [token({ typ: 'Refresh' }), /^This is a refresh token/],
    'a logout token': [token({ events: {} }), /^This is a logout token/],
    'a token with another "typ"': [
      token({}, { typ: 'dpop+jwt' }),
      /^This is not an access token: its "typ" is "dpop\+jwt"/,
    ],
  },
  audience_mismatch: {
    'an ID token without a nonce': [token({ scope: undefined, aud: 'web-client' }), /^This is an ID token/],
    'a token for another audience': [
      token({ aud: 'https://other-api.example' }),
      /another audience: it says "https:\/\/other-api\.example", and API_AUDIENCE is "https:\/\/api\.vest/,
    ],
  },
  algorithm_not_allowed: {
    'a token signed with a shared secret': [
      (provider) =>
        compact({ alg: 'HS256' }, { ...provider.claims(rightClaims) }, hmac('sha256', 'a shared secret')),
      /shared secret \(HS256\).*RS256/,
    ],
    'an unsigned token': [
      (provider) => compact({ alg: 'none' }, { ...provider.claims(rightClaims) }, () => Buffer.from('none')),
      /not signed at all/,
    ],
    'a token signed with an algorithm outside ALLOWED_ALGORITHMS': [
      token({}, { alg: 'RS512' }),
      /signed with RS512, which ALLOWED_ALGORITHMS does not name/,
    ],
  },
  header_not_supported: {
    'a token with a critical extension': [
      (provider) =>
        compact(
          { alg: 'RS256', kid: provider.key.kid, crit: ['x'] },
          { ...provider.claims(rightClaims) },
          () => createHmac('sha256', 'x').digest(),
        ),
      /"crit"/,
    ],
    'a token with an unencoded payload': [token({}, { b64: true }), /an extension \("crit" or "b64"\)/],
  },
  issuer_mismatch: {
    'an issuer with a trailing slash': [
      token({ iss: `${issuer}/` }),
      /differs only by its trailing slash.*Set IDP_ISSUER=https:\/\/tenant-one\.login\.example\/realms\/main\/$/,
    ],
    'another realm of the same host': [
      token({ iss: 'https://tenant-one.login.example/realms/other' }),
      /another tenant or realm of the same provider: found ".*other", expected ".*main".*set IDP_ISSUER=https:.*\/other$/,
    ],
    'another tenant of the same domain': [
      token({ iss: 'https://tenant-two.login.example/realms/main' }),
      /another tenant or realm of the same provider: found ".*tenant-two/,
    ],
    'an unknown issuer': [
      token({ iss: 'https://accounts.elsewhere.test' }),
      /"https:\/\/accounts\.elsewhere\.test", and only .* IDP_ORIGIN/,
    ],
    'no issuer': [token({ iss: undefined }), /^The issuer is missing/],
  },
  key_unknown: {
    'a key that is not published': [
      async (provider) => provider.token(rightClaims, {}, await makeKey('rotated-away')),
      /no usable key "rotated-away": the provider has rotated it/,
    ],
  },
  signature_invalid: {
    'a token edited after signing': [
      async (provider) => {
        const [header, , signature] = (await provider.token(rightClaims)).split('.');
        return `${header}.${base64url(provider.claims({ ...rightClaims, sub: 'admin' }))}.${signature}`;
      },
      /edited after it was signed/,
    ],
  },
  token_expired: {
    'an expired token': [
      token({ exp: now() - 3 * hour - 720, iat: now() - 4 * hour }),
      /^The token expired 3 h 1[2-5] min ago \(20/,
    ],
  },
  token_not_yet_valid: {
    'a token that is not valid yet': [
      token({ nbf: now() + 2 * hour, exp: now() + 3 * hour }),
      /becomes valid only in (2 h|1 h 5\d min).*the clock of/,
    ],
    'a token issued by a clock that is ahead': [
      token({ iat: now() + 2 * hour, exp: now() + 3 * hour }),
      /the clock of this machine/,
    ],
  },
  expiry_missing: {
    'a token without an expiry': [token({ exp: undefined }), /never expires/],
  },
  claim_invalid: {
    'a token with a non-numeric expiry': [token({ exp: 'tomorrow' }), /A time/],
  },
  token_lifetime_too_long: {
    'a token with too long a lifetime': [
      token({ iat: now() - 60, exp: now() + 30 * 24 * hour }),
      /^The token lives for 30 d.*, and MAX_TOKEN_LIFETIME_SECONDS is 86400/,
    ],
    'a token without an issue time': [
      token({ iat: undefined }),
      /^The token does not say when it was issued \("iat"\)/,
    ],
  },
  token_bound: {
    'a token with a malformed key binding': [
      token({ cnf: { jkt: 'x' } }),
      /^The token is bound to a key \(DPoP\), .*"jkt": a SHA-256 in base64url/,
    ],
    'a certificate-bound token': [
      token({ cnf: { 'x5t#S256': 'x'.repeat(43) } }),
      /^The token is bound in a way that this service cannot check, for example to a certificate/,
    ],
    'a token with an unsupported binding': [
      token({ cnf: { kid: 'x' } }),
      /^The token is bound in a way that this service cannot check/,
    ],
  },
  subject_invalid: {
    'a token with an empty subject': [token({ sub: '' }), /"sub" must be a non-empty text/],
  },
  insufficient_scope: {
    'a token without a required scope': [token({ scope: 'write' }), /lacks the scope read\./],
  },
};

describe('vestibule explain', () => {
  const given = deployment({
    settings: { IDP_ISSUER: issuer, IDP_REQUIRED_SCOPES: 'read', MAX_TOKEN_LIFETIME_SECONDS: '86400' },
  });

  const codeOfService = async (authorization: string) => {
    const response = await fetch(given().service.url + me, { headers: { authorization } });
    const body = (await response.json()) as { code?: string };
    return { status: response.status, code: body.code ?? null };
  };

  const rows = Object.entries(cases).flatMap(([code, some]) =>
    Object.entries(some).map(([name, row]) => [code === 'accepted' ? null : code, name, ...row] as const),
  );
  for (const [code, name, make, says] of rows) {
    it(`gives the cause in one line and the service's code: ${name}`, async () => {
      const { service, provider } = given();
      const sent = await make(provider);
      const explanation = await explained(service.settings, sent);
      assert.equal(explanation.code, code, explanation.summary);
      assert.match(explanation.summary, says);
      assert.doesNotMatch(explanation.summary, /\n/);
      assert.equal(explanation.accepted, code === null);
      const { status, code: answered } = await codeOfService(`Bearer ${sent}`);
      assert.deepEqual({ status: explanation.status, code: explanation.code }, { status, code: answered });
      const shown = JSON.stringify({ ...explanation, pseudonym: null });
      assert.deepEqual(leaksOf(sent, shown), [], 'nothing that must not be shared');
    });
  }

  it('reports further failures after the first one', async () => {
    const { service, provider } = given();
    const sent = await provider.token({
      iss: `${issuer}/`,
      aud: 'another',
      exp: now() - hour,
      scope: 'write',
    });
    const { steps } = await explained(service.settings, sent);
    const failing = steps.filter(({ result }) => result === 'fail').map(({ name }) => name);
    assert.deepEqual(failing, ['issuer', 'times', 'audience', 'scopes']);
    const signature = steps.find(({ name }) => name === 'signature');
    assert.equal(signature?.result, 'pass', 'the signature tells that it is the same provider after all');
  });

  it('distinguishes a machine client from a person', async () => {
    const { service, provider } = given();
    const subjects = [{}, { sub: 'robot-1', client_id: 'robot-1' }].map(async (claims) => {
      const { steps } = await explained(
        service.settings,
        await provider.token({ ...rightClaims, ...claims }),
      );
      return steps.find(({ name }) => name === 'subject')?.found;
    });
    const [person, client] = await Promise.all(subjects);
    assert.match(String(person), /a person$/);
    assert.match(String(client), /a machine client \(client credentials\)$/);
  });

  it('explains the proof of a bound token, and DPOP=required', async () => {
    const { service, provider } = given();
    const bound = await token({ cnf: { jkt: 'x'.repeat(43) } })(provider);
    const { accepted, summary, steps } = await explained(service.settings, bound);
    assert.equal(accepted, true);
    assert.match(summary, /^The token is accepted together with a proof/);
    const found = steps.find(({ name }) => name === 'binding')?.found;
    assert.match(String(found), /^bound to a key \(DPoP\): send it as "Authorization: DPoP <token>"/);
    const strict = { ...service.settings, DPOP: 'required' };
    assert.equal((await explained(strict, bound)).accepted, true);
    const refused = await explained(strict, await token({})(provider));
    assert.deepEqual([refused.code, refused.status], ['proof_required', 403]);
    assert.match(refused.summary, /DPOP is "required"/);
    assert.equal((await explained({ ...service.settings, DPOP: 'off' }, bound)).code, 'token_bound');
  });

  it('explains what a token without a subject can do', async () => {
    const { service, provider } = given();
    const sent = await provider.token({ ...rightClaims, sub: undefined, azp: 'a program' });
    const { accepted, steps } = await explained(service.settings, sent);
    assert.equal(accepted, true);
    const found = String(steps.find(({ name }) => name === 'subject')?.found);
    assert.match(found, /^no subject: the token is accepted on \/me/);
  });

  it('reports a registered caller, and a suspended one', async () => {
    const { service, provider } = given();
    const sent = await provider.token({ ...rightClaims, sub: `somebody-${randomUUID()}` });
    const caller = async () => {
      const explanation = await explained(service.settings, sent);
      const { found } = explanation.steps.find(({ name }) => name === 'caller') ?? {};
      return { found: String(found), ...explanation };
    };
    assert.match((await caller()).found, /^unknown/);
    assert.deepEqual(await codeOfService(`Bearer ${sent}`), { status: 200, code: null });
    const { found, pseudonym } = await caller();
    assert.match(found, /^registered since 20/);
    await runVestibule(service.settings, 'consumer', 'suspend', String(pseudonym));
    const { code, summary } = await caller();
    assert.equal(code, 'consumer_suspended');
    assert.match(summary, /suspended this caller.*"npx vestibule consumer resume"/);
  });
});
