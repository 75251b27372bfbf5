import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Response } from 'playwright-core';
import { request } from '../support/http/request.ts';
import { me } from '../support/services/service.ts';
import { browsing } from './browser.ts';
import { minuteMs } from './browser-site.ts';

/** After this time the service refuses earlier nonces. */
const nonceMinutes = 5;

const running = await browsing({ DPOP: 'page, nonce' });
const { site } = running;
const visitor = await running.visitor();
await visitor.page.addInitScript(`window.generated = [];
  const generateKey = crypto.subtle.generateKey.bind(crypto.subtle);
  crypto.subtle.generateKey = async (...how) => {
    const keys = await generateKey(...how);
    generated.push(keys);
    return keys;
  };`);
const redeemed = visitor.page.waitForResponse(`${site.providerOrigin}/token`);
await visitor.asDeveloper();
await visitor.signIn('Bound');
/** The provider's answer to the authorization code. */
const told = await (await redeemed).json();
await visitor.seesPicture('Bound');
const asked = visitor.page.waitForRequest(`${site.origin}${me}`);
await visitor.open('you');
const sent = (await asked).headers();

describe('tokens bound to a key of the page (DPoP), with nonces required', () => {
  const call = (headers: Readonly<Record<string, string>>) => request(`${site.origin}${me}`, { headers });

  it('the provider issues bound tokens, and the page sends a proof with each request', () => {
    assert.equal(told.token_type, 'DPoP');
    assert.equal(sent.authorization, `DPoP ${told.access_token}`);
    assert.match(String(sent.dpop), /^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('the private key cannot be exported, not even by the page', async () => {
    const keys = await visitor.page.evaluate(`Promise.all(generated.map(async ({ privateKey }) => [
      privateKey.algorithm.namedCurve,
      privateKey.extractable,
      await crypto.subtle.exportKey('jwk', privateKey).catch(({ name }) => name),
    ]))`);
    assert.deepEqual(keys, [['P-256', false, 'InvalidAccessError']]);
  });

  it('a bound token sent as a bearer token is refused with token_bound', async () => {
    const answer = await call({ authorization: `Bearer ${told.access_token}` });
    assert.deepEqual([answer.status, answer.json().code], [403, 'token_bound']);
  });

  it('a bound token with a proof by another key is refused with proof_invalid', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const claims = {
      htm: 'GET',
      htu: `${site.origin}${me}`,
      jti: randomUUID(),
      ath: createHash('sha256').update(told.access_token).digest('base64url'),
    };
    const dpop = await new SignJWT(claims)
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(publicKey) })
      .setIssuedAt()
      .sign(privateKey);
    const answer = await call({ authorization: `DPoP ${told.access_token}`, dpop });
    const { code, proof_fault } = answer.json();
    assert.deepEqual([answer.status, code, proof_fault], [403, 'proof_invalid', 'cnf']);
  });

  it('a bound token with a copied proof is refused with proof_replayed', async () => {
    const { authorization = '', dpop = '' } = sent;
    const answer = await call({ authorization, dpop });
    assert.deepEqual([answer.status, answer.json().code], [403, 'proof_replayed']);
  });

  it('the Token screen shows the binding, and the command it prints is refused', async () => {
    await visitor.open('token');
    await visitor.sees('Bound to a key that never leaves this browser');
    await visitor.sees('Signature, issuer, audience and times are right.');
    await visitor.sees('the key that it is bound to');
    const shown = await visitor.page.locator('pre').innerText();
    const pasted = shown.replace('paste it here', told.access_token).replace('curl -i', 'curl -si');
    const { stdout } = await promisify(execFile)('bash', ['-c', pasted]);
    assert.match(stdout, /^HTTP\/1\.1 403 /);
    assert.match(stdout, /"code":"token_bound"/);
    await visitor.isAccessible();
  });

  it('a renewed token is bound to the same key', async () => {
    const renewed = visitor.page.waitForResponse(`${site.providerOrigin}/token`);
    await visitor.button('Renew it now').click();
    await visitor.sees('A new token is here.');
    const { token_type, access_token } = await (await renewed).json();
    assert.equal(token_type, 'DPoP');
    assert.notEqual(access_token, told.access_token);
    await visitor.sees('Signature, issuer, audience and times are right.');
    assert.deepEqual(keyOf(access_token), keyOf(told.access_token));
  });

  it('lists, live streams and writes work in two windows, each with its own key', async () => {
    const other = await visitor.anotherWindow();
    await visitor.open('data', 'stones');
    await visitor.seesConnection('Live');
    await other.addOne('stones', 'Colour', 'Slate');
    await other.title('Slate').waitFor();
    await visitor.title('Slate').waitFor();
    assert.notDeepEqual(keyOf(other.elsewhere().token), keyOf(visitor.elsewhere().token));
    await other.page.close();
  });

  it('up to here no request was refused or repeated for a missing nonce', () => {
    assert.deepEqual(running.log.errors, []);
  });

  it('a request with an expired nonce is repeated with the new nonce', async () => {
    await visitor.fillNew('stones', 'Colour', 'Granite');
    await site.pass(nonceMinutes * minuteMs);
    await visitor.later(nonceMinutes);
    const answers: Response[] = [];
    const isWrite = (answer: Response) => answer.request().method() === 'POST';
    visitor.page.on('response', (answer) => isWrite(answer) && answers.push(answer));
    await visitor.saveButton.click();
    await visitor.title('Granite').waitFor();
    assert.equal(await visitor.titles.count(), 2);
    const statuses = answers.map((answer) => answer.status());
    assert.deepEqual(statuses, [403, 201]);
    assert.match(String(answers[0]?.headers()['www-authenticate']), /use_dpop_nonce/);
    assert.ok(running.log.takeErrors().every((error) => error.startsWith('403 /api/consumer/v1/')));
  });

  it('sign-in fails if the provider issues a bearer token', async () => {
    await using stranger = await running.visitor();
    await stranger.page.route(`${site.providerOrigin}/token`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), token_type: 'Bearer' } });
    });
    await stranger.button('Sign in').click();
    await stranger.logIn('Unbound');
    await stranger.sees(/does not protect the sign-in as the operator requires/);
  });
});

function keyOf(token: string): unknown {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  assert.ok(claims.cnf.jkt.length === 43);
  return claims.cnf;
}
