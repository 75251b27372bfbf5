import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Attack } from '../../support/http/attacked.ts';
import { head, rawReply } from '../../support/http/raw-http.ts';
import { bearerPart, plainChallenge } from '../../support/http/refusals.ts';
import { request, withToken } from '../../support/http/request.ts';
import { surroundings } from '../../support/run/surroundings.ts';

export function authorizationHeaderForgeries(attack: Attack): void {
  const target = attack();

  it('[A1] a valid token is accepted', async () => {
    await target().accepts(await target().provider.token());
  });

  it('[A1] a token for several audiences is accepted when this API is one of them', async () => {
    const { audience } = surroundings();
    for (const aud of [[audience], ['https://other.example', audience], [audience, 'https://other.example']])
      await target().accepts(await target().provider.token({ aud }));
  });

  it('[A1] the scheme is accepted in any case', async () => {
    const token = await target().provider.token();
    for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
      const headers = { authorization: `${scheme} ${token}` };
      await target().acceptsRequest(() => request(target().url, { headers }));
    }
  });

  it('[A2] a request without an Authorization header gets a challenge without an error', async () => {
    const reply = await target().refusesRequest(() => request(target().url), 'token_missing', '');
    assert.equal(bearerPart(reply.headers.get('www-authenticate')), plainChallenge);
  });

  /** The header to send instead of "Bearer <token>", and the expected code. */
  const malformed: Record<string, [(token: string) => string, ErrorCode]> = {
    'another scheme': [() => `Basic ${Buffer.from('someone:something').toString('base64')}`, 'token_missing'],
    'another scheme around a good token': [(token) => `Basic ${token}`, 'token_missing'],
    'a scheme that begins like it': [(token) => `Bearer-x ${token}`, 'token_missing'],
    'the token without a scheme': [(token) => token, 'token_missing'],
    'the scheme alone': [() => 'Bearer', 'authorization_malformed'],
    'the scheme and a space': [() => 'Bearer ', 'authorization_malformed'],
    'two spaces': [(token) => `Bearer  ${token}`, 'authorization_malformed'],
    'a tab': [(token) => `Bearer\t${token}`, 'authorization_malformed'],
    'two tokens': [(token) => `Bearer ${token} ${token}`, 'authorization_malformed'],
    'the scheme twice': [(token) => `Bearer Bearer ${token}`, 'authorization_malformed'],
    'a word after the token': [(token) => `Bearer ${token} x`, 'authorization_malformed'],
    'two short words': [() => 'Bearer a b', 'authorization_malformed'],
    'a quoted token': [(token) => `Bearer "${token}"`, 'authorization_malformed'],
    'a quote at the end': [(token) => `Bearer ${token}"`, 'authorization_malformed'],
    'a comma at the end': [(token) => `Bearer ${token},`, 'authorization_malformed'],
    'a comma and a second token': [(token) => `Bearer ${token}, Bearer ${token}`, 'authorization_malformed'],
    'a parameter instead of a token': [(token) => `Bearer token="${token}"`, 'authorization_malformed'],
  };
  for (const [name, [authorization, code]] of Object.entries(malformed))
    it(`[A3] an Authorization header with ${name} is refused`, async () => {
      await target().refusesHeader(authorization(await target().provider.token()), code);
    });

  it('[A4] two Authorization headers are refused, whichever of them is valid', async () => {
    const good = `Bearer ${await target().provider.token()}`;
    const bad = 'Bearer not-a-token';
    const none = 'Basic c29tZW9uZTpzb21ldGhpbmc=';
    const others = [bad, none, ''];
    const pairs = [
      [good, good],
      ...others.flatMap((other) => [
        [good, other],
        [other, good],
      ]),
    ];
    for (const [first, second] of pairs) {
      const bytes = head('GET', target().path, `authorization: ${first}`, `Authorization: ${second}`);
      const send = () => rawReply(target().url, bytes);
      await target().refusesRequest(send, 'authorization_malformed', `${first} ${second}`);
    }
  });

  it('[A4] a second Authorization header behind two thousand other headers is refused', async () => {
    const good = `Bearer ${await target().provider.token()}`;
    const others = Array<string>(2000).fill('x:');
    const last = 'authorization: Bearer not-a-token';
    const bytes = head('GET', target().path, `authorization: ${good}`, ...others, last);
    const reply = await rawReply(target().url, bytes);
    assert.ok([400, 403, 431].includes(reply.status), `status ${reply.status}`);
  });

  it('[A5] a token in the query is ignored and appears in no log', async () => {
    const token = await target().provider.token();
    for (const name of ['access_token', 'token', 'authorization', 'bearer_token']) {
      const url = `${target().url}?${name}=${token}`;
      await target().refusesRequest(() => request(url), 'token_missing', token);
    }
    await withToken(`${target().url}?access_token=${token}`, token);
    const written = await target().written();
    for (const part of token.split('.')) assert.ok(!written.includes(part), 'a part of the token was kept');
  });

  it('[A5] a token in a form body is ignored', async () => {
    const token = await target().provider.token();
    const form = `access_token=${token}`;
    const type = 'content-type: application/x-www-form-urlencoded';
    const bytes = `${head('GET', target().path, type, `content-length: ${form.length}`)}${form}`;
    await target().refusesRequest(() => rawReply(target().url, bytes), 'token_missing', token);
  });

  it('[A5] a token in a cookie is ignored', async () => {
    const token = await target().provider.token();
    const cookie = `access_token=${token}; authorization=Bearer ${token}`;
    const send = () => request(target().url, { headers: { cookie } });
    await target().refusesRequest(send, 'token_missing', token);
  });

  it('[A5] a token in other headers and in a trailer is ignored', async () => {
    const token = await target().provider.token();
    const names = ['x-authorization', 'proxy-authorization', 'x-access-token', 'x-forwarded-authorization'];
    const lines = names.map((name) => `${name}: Bearer ${token}`);
    const send = () => rawReply(target().url, head('GET', target().path, ...lines));
    await target().refusesRequest(send, 'token_missing', token);
    const chunked = head('GET', target().path, 'transfer-encoding: chunked', 'trailer: authorization');
    const bytes = `${chunked}1\r\nx\r\n0\r\nauthorization: Bearer ${token}\r\n\r\n`;
    await target().refusesRequest(() => rawReply(target().url, bytes), 'token_missing', token);
  });

  const headers: Record<string, string> = {
    'X-Forwarded-Uri': '/.well-known/jwks.json',
    'X-Original-URL': '/.well-known/jwks.json',
    'X-Original-URI': '/livez',
    'X-Rewrite-URL': '/livez',
    'X-Forwarded-Path': '/livez',
    'X-Forwarded-Prefix': '/public',
    'X-HTTP-Method-Override': 'OPTIONS',
    'X-HTTP-Method': 'OPTIONS',
    'X-Method-Override': 'POST',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Host': 'localhost',
    'X-Forwarded-User': 'admin',
    'X-Auth-Request-User': 'admin',
    'X-Real-IP': '127.0.0.1',
    'X-Internal-Request': 'true',
    Forwarded: 'for=127.0.0.1;proto=https',
    Host: 'localhost',
  };
  for (const [name, value] of Object.entries(headers))
    it(`[A51] the header ${name}: ${value} does not replace a token`, async () => {
      const send = () => request(target().url, { headers: { [name]: value } });
      await target().refusesRequest(send, 'token_missing', '');
    });

  for (const agent of ['GoogleHC/1.0', 'kube-probe/1.33', 'ELB-HealthChecker/2.0', 'Consul Health Check'])
    it(`[A51] the user agent ${agent} does not replace a token`, async () => {
      const send = () => request(target().url, { headers: { 'user-agent': agent } });
      await target().refusesRequest(send, 'token_missing', '');
    });
}
