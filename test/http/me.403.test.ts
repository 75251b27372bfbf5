import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';
import { SignJWT } from 'jose';
import type { ErrorCode } from '../../src/base/errors.ts';
import { exchange, head, parseReply } from '../support/http/raw-http.ts';
import { assertRefused, dpopChallenge, plainChallenge } from '../support/http/refusals.ts';
import { request, withToken } from '../support/http/request.ts';
import { me, startService } from '../support/services/service.ts';
import { partsOf, withBrokenSignature, withClaims } from '../support/tokens/forged-token.ts';
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

  it('another scheme is a missing token, and a malformed bearer header is refused as such', async () => {
    const { service, accessToken } = deployment();
    const token = await accessToken();
    const send = async (line: string) =>
      parseReply(await exchange(service.url, head('GET', me, `authorization: ${line}`)));
    for (const value of ['', 'Basic YTpi', `Token ${token}`, `Bearer${token}`, token])
      assertRefused(await send(value), 'token_missing', token);
    for (const value of ['Bearer', `Bearer  ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`])
      assertRefused(await send(value), 'authorization_malformed', token);
  });
});
