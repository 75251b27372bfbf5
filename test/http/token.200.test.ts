import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { allowInsecureRequests, validateJwtAccessToken } from 'oauth4webapi';
import { withToken } from '../support/http/request.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { me } from '../support/services/service.ts';
import { bodyWith, credentialsBody, postToken, tokenOf } from '../support/tokens/token-endpoint.ts';
import { onEveryDeployment } from './deployments.ts';
import { undecidedDocuments, undecidedValues, validValues } from './json-bodies.ts';

const baseUrl = 'http://127.0.0.1/vestibule';

onEveryDeployment((deployment) => {
  const newToken = () => tokenOf(deployment().service.url, deployment().client);
  const verified = (token: string) =>
    jwtVerify(token, createRemoteJWKSet(new URL(`${deployment().service.url}/.well-known/jwks.json`)), {
      issuer: baseUrl,
      audience: surroundings().audience,
      algorithms: ['RS256'],
      typ: 'at+jwt',
    });

  it('valid credentials are answered with 200 and exactly token and token_type', async () => {
    const { service, client } = deployment();
    const reply = await postToken(service.url, credentialsBody(client));
    assert.equal(reply.status, 200, reply.text);
    const body = reply.json();
    assert.deepEqual(Object.keys(body), ['token', 'token_type']);
    assert.equal(typeof body.token, 'string');
    assert.equal(body.token_type, 'Bearer');
    assert.equal(reply.headers.get('content-type'), 'application/json');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.ok(!reply.text.includes(client.secret));
  });

  it('the token opens /me, and the caller there is a client', async () => {
    const { service, client } = deployment();
    const reply = await withToken(`${service.url}${me}`, await newToken());
    assert.equal(reply.status, 200, reply.text);
    const { kind, subject, issuer, audience, scopes, id } = reply.json();
    const expected = ['client', client.id, baseUrl, surroundings().audience, []];
    assert.deepEqual([kind, subject, issuer, audience, scopes], expected);
    assert.match(String(id), /^usr_[A-Za-z0-9_-]{43}$/);
  });

  it('jose verifies the token with the published keys', async () => {
    const { payload, protectedHeader } = await verified(await newToken());
    assert.equal(payload.sub, deployment().client.id);
    assert.equal(protectedHeader.alg, 'RS256');
  });

  it('oauth4webapi accepts the token as an access token of RFC 9068', async () => {
    const { service, client } = deployment();
    const server = { issuer: baseUrl, jwks_uri: `${service.url}/.well-known/jwks.json` };
    const headers = { authorization: `Bearer ${await newToken()}` };
    const incoming = new Request(`${service.url}${me}`, { headers });
    const options = { [allowInsecureRequests]: true };
    const claims = await validateJwtAccessToken(server, incoming, surroundings().audience, options);
    assert.equal(claims.client_id, client.id);
  });

  it('the token has exactly the claims of RFC 9068, with a lifetime of ten minutes', async () => {
    const { client } = deployment();
    const token = await newToken();
    const { payload } = await verified(token);
    const { iat = 0, jti, ...rest } = payload;
    assert.ok(Number.isInteger(iat) && Math.abs(iat - Date.now() / 1000) < 60);
    assert.match(String(jti), /^[0-9a-f]{12}\.[0-9a-f-]{36}$/);
    const named = { sub: client.id, client_id: client.id };
    assert.deepEqual(rest, { iss: baseUrl, aud: surroundings().audience, exp: iat + 600, ...named });
    const header = decodeProtectedHeader(token);
    assert.deepEqual(Object.keys(header).sort(), ['alg', 'kid', 'typ']);
    assert.deepEqual([header.alg, header.typ], ['RS256', 'at+jwt']);
  });

  it('every token has a different jti', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, newToken));
    const ids = await Promise.all(tokens.map(async (token) => (await verified(token)).payload.jti));
    assert.equal(new Set(ids).size, tokens.length);
  });

  it('claims asked for in the body are ignored', async () => {
    const { service, client } = deployment();
    const wishes = {
      aud: 'https://other.example',
      sub: 'root',
      iss: 'https://evil.example',
      exp: 9_999_999_999,
      scope: '*',
      admin: true,
      grant_type: 'password',
      expires_in: 1e9,
    };
    const reply = await postToken(service.url, credentialsBody(client, wishes));
    const { payload } = await verified(reply.json<{ token: string }>().token);
    const members = 'aud client_id exp iat iss jti sub';
    assert.equal(Object.keys(payload).sort().join(' '), members);
    assert.deepEqual([payload.sub, payload.iss], [client.id, baseUrl]);
    assert.deepEqual([payload.aud, payload.exp], [surroundings().audience, (payload.iat ?? 0) + 600]);
  });

  it('the content type may have the charset utf-8', async () => {
    const { service, client } = deployment();
    for (const charset of ['; charset=utf-8', ';charset=UTF-8', '; charset="utf-8"']) {
      const reply = await postToken(service.url, credentialsBody(client), `application/json${charset}`);
      assert.equal(reply.status, 200, charset);
    }
  });

  it('valid JSON with the credentials is accepted, whatever other members it has', async () => {
    const { service, client } = deployment();
    for (const value of validValues) {
      const reply = await postToken(service.url, bodyWith(client, value));
      assert.equal(reply.status, 200, String(value).slice(0, 80));
    }
  });

  it('JSON that the standard leaves open is 200 or 400, never 500', async () => {
    const { service, client } = deployment();
    const documents = Object.values(undecidedDocuments).map((wrap) => wrap(credentialsBody(client)));
    for (const body of [...undecidedValues.map((value) => bodyWith(client, value)), ...documents]) {
      const { status, text } = await postToken(service.url, body);
      assert.ok(
        status === 200 || (status === 400 && text === '{}'),
        `${status} for ${String(body).slice(0, 80)}`,
      );
    }
  });
});
