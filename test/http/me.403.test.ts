import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import type { ErrorCode } from '../../src/base/errors.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { assertRefused, dpopChallenge, plainChallenge } from '../support/http/refusals.ts';
import { request, withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, type Service, startService } from '../support/services/service.ts';
import { base64url, partsOf, withBrokenSignature, withClaims } from '../support/tokens/forged-token.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { onEveryDeployment } from './deployments.ts';

const strangersKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

onEveryDeployment((deployment) => {
  const refuse = async (token: string, code: ErrorCode, at = deployment().service) =>
    assertRefused(await withToken(`${at.url}${me}`, token), code, token);

  it('a valid token is accepted (control for the refusals below)', async () => {
    const { service, accessToken } = deployment();
    assert.equal((await withToken(`${service.url}${me}`, await accessToken())).status, 200);
  });

  it('a request without a token is refused with a challenge that names no error', async () => {
    const reply = await request(`${deployment().service.url}${me}`);
    assertRefused(reply, 'token_missing', '');
    assert.equal(reply.headers.get('www-authenticate'), `${plainChallenge}, ${dpopChallenge}`);
  });

  it('a signature with one flipped bit is refused', async () => {
    await refuse(withBrokenSignature(await deployment().accessToken()), 'signature_invalid');
  });

  it('claims changed after signing are refused', async () => {
    const token = await deployment().accessToken();
    await refuse(withClaims(token, { sub: 'somebody-else' }), 'signature_invalid');
  });

  it("a token signed with a foreign key under the provider's kid is refused", async () => {
    const { header, claims } = partsOf(await deployment().accessToken());
    const signer = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' });
    await refuse(await signer.sign(strangersKey), 'signature_invalid');
  });

  it('a token signed with a key that the provider does not publish is refused', async () => {
    const { header, claims } = partsOf(await deployment().accessToken());
    const signer = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256', kid: 'not-published' });
    await refuse(await signer.sign(strangersKey), 'key_unknown');
  });

  it('a valid token of another provider is refused', async () => {
    await refuse(await deployment().foreignToken(), 'issuer_mismatch');
  });

  it('a service with another audience refuses a token that is valid here', async () => {
    const { service, accessToken } = deployment();
    const other = await startService({ ...service.settings, API_AUDIENCE: 'https://other.example' });
    await refuse(await accessToken(), 'audience_mismatch', other).finally(() => other.stop());
  });
});

describe('one change to a valid token', () => {
  let provider: TestProvider;
  let service: Service;
  const running = deployment();
  before(() => {
    ({ provider, service } = running());
  });
  const now = () => Math.floor(Date.now() / 1000);
  const refuse = async (token: string, code: ErrorCode) =>
    assertRefused(await withToken(`${service.url}${me}`, token), code, token);
  const send = async (...headerLines: string[]) =>
    parseReply(await exchange(service.url, head('GET', me, ...headerLines)));

  it('the unchanged token is accepted', async () => {
    assert.equal((await withToken(`${service.url}${me}`, await provider.token())).status, 200);
  });

  it('an expired token and a token that is not yet valid are refused', async () => {
    await refuse(await provider.token({ exp: now() - 60 }), 'token_expired');
    await refuse(await provider.token({ nbf: now() + 60 }), 'token_not_yet_valid');
    await refuse(await provider.token({ iat: now() + 60 }), 'token_not_yet_valid');
  });

  it('another audience is refused, even one that resembles the right one', async () => {
    const { aud } = provider.claims();
    for (const wrong of ['https://other.example', `${aud}/`, String(aud).toUpperCase(), [], [`${aud}x`]]) {
      await refuse(await provider.token({ aud: wrong }), 'audience_mismatch');
    }
    await refuse(await provider.token({ aud: undefined }), 'audience_mismatch');
  });

  it('another issuer is refused, even one that resembles the right one', async () => {
    const { origin } = provider;
    for (const iss of [
      'https://idp.example',
      `${origin}//`,
      `${origin}/x`,
      origin.toUpperCase(),
      ` ${origin}`,
    ]) {
      await refuse(await provider.token({ iss }), 'issuer_mismatch');
    }
    await refuse(await provider.token({ iss: undefined }), 'issuer_mismatch');
  });

  it('an algorithm outside ALLOWED_ALGORITHMS is refused', async () => {
    await refuse(await provider.token({}, { alg: 'RS512' }), 'algorithm_not_allowed');
    await refuse(await provider.token({}, { alg: 'PS256' }), 'algorithm_not_allowed');
    const [, claims, signature] = (await provider.token()).split('.');
    const unsigned = base64url({ alg: 'none', kid: provider.key.kid });
    await refuse([unsigned, claims, signature].join('.'), 'algorithm_not_allowed');
  });

  it('a token without expiry or with non-numeric times is refused', async () => {
    await refuse(await provider.token({ exp: undefined }), 'expiry_missing');
    for (const name of ['exp', 'nbf', 'iat']) {
      await refuse(await provider.token({ [name]: String(now()) }), 'claim_invalid');
    }
  });

  it('a subject that is not a non-empty string is refused', async () => {
    for (const sub of ['', 7, null, true, ['ann'], { name: 'ann' }]) {
      await refuse(await provider.token({ sub }), 'subject_invalid');
    }
  });

  it('a token that is bound to a key or a certificate is refused', async () => {
    for (const cnf of [{ jkt: 'thumbprint' }, { 'x5t#S256': 'thumbprint' }])
      await refuse(await provider.token({ cnf }), 'token_bound');
  });

  it('an ID token, another token type and a critical extension are refused', async () => {
    await refuse(await provider.token({ nonce: 'of-an-id-token' }), 'token_type_not_allowed');
    await refuse(await provider.token({}, { typ: 'logout+jwt' }), 'token_type_not_allowed');
    const crit = { crit: ['b64'], b64: true };
    await refuse(await provider.token({}, crit), 'header_not_supported');
  });

  it('malformed JWTs are refused as malformed, and oversized ones as too large', async () => {
    const token = await provider.token();
    const [header, claims, signature] = token.split('.');
    const malformed = ['x', 'a.b', `${header}.${claims}`, `${token}.${signature}`, `${header}..${signature}`];
    for (const text of [...malformed, `${token}=`, `.${token}`, `${token}.`]) {
      await refuse(text, 'token_malformed');
    }
    await refuse(await provider.token({ padding: 'x'.repeat(8192) }), 'token_too_large');
  });

  it("a token with the service's own issuer, signed by the provider, is refused", async () => {
    const iss = String(service.settings.BASE_URL);
    await refuse(await provider.token({ iss }, { typ: 'at+jwt' }), 'key_unknown');
  });

  it('an invalid signature is reported before any wrong claim', async () => {
    const wrong = await provider.token({ exp: now() - 60, aud: 'https://other.example', sub: 7 });
    await refuse(withBrokenSignature(wrong), 'signature_invalid');
  });

  it('another scheme is a missing token, and a malformed bearer header is refused as such', async () => {
    const token = await provider.token();
    for (const value of ['', 'Basic YTpi', `Token ${token}`, `Bearer${token}`, token]) {
      assertRefused(await send(`authorization: ${value}`), 'token_missing', token);
    }
    for (const value of ['Bearer', `Bearer  ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`]) {
      assertRefused(await send(`authorization: ${value}`), 'authorization_malformed', token);
    }
    const twice = [`authorization: Bearer ${token}`, `authorization: Bearer ${token}`];
    assertRefused(await send(...twice), 'authorization_malformed', token);
  });

  it('a token in the query, a cookie or the body is ignored', async () => {
    const token = await provider.token();
    const inQuery = await request(`${service.url}${me}?access_token=${token}`);
    assertRefused(inQuery, 'token_missing', token);
    assertRefused(await send(`cookie: access_token=${token}`), 'token_missing', token);
    const form = `access_token=${token}`;
    const type = 'content-type: application/x-www-form-urlencoded';
    const bytes = `${head('GET', me, type, `content-length: ${form.length}`)}${form}`;
    assertRefused(parseReply(await exchange(service.url, bytes)), 'token_missing', token);
  });
});
