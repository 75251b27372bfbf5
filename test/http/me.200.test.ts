import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { canaryClaims } from '../support/faults/canaries.ts';
import { assertNothingPersonal } from '../support/http/answers.ts';
import { request, withToken } from '../support/http/request.ts';
import { part, surroundings } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { databaseEngines, me, newSettings, startService } from '../support/services/service.ts';
import { partsOf } from '../support/tokens/forged-token.ts';
import { type Claims, makeKey, TestProvider } from '../support/tokens/provider.ts';
import { grantedScope, onEveryDeployment } from './deployments.ts';

const pseudonymForm = /^usr_[A-Za-z0-9_-]{43}$/;
const seconds = (value: unknown) => new Date(Number(value) * 1000).toISOString();

it('the mock provider listens on port 3000 of the loopback host and has its keys at /jwks', async () => {
  const { mockOrigin } = await part('providers');
  const { hostname, port } = new URL(mockOrigin);
  assert.deepEqual([['localhost', '127.0.0.1'].includes(hostname), port], [true, '3000']);
  const { keys } = (await (await fetch(`${mockOrigin}/jwks`)).json()) as { keys: { kty: string }[] };
  assert.ok(keys.length > 0 && keys.every(({ kty }) => kty === 'RSA'));
});

onEveryDeployment((deployment) => {
  it('an access token of the client-credentials flow opens /api/consumer/v1/me', async () => {
    const { service, accessToken } = deployment();
    const authorization = `Bearer ${await accessToken()}`;
    const headers = { accept: 'application/json', authorization };
    const reply = await request(`${service.url}/api/consumer/v1/me`, { headers });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('content-type'), 'application/json');
    assert.equal(reply.headers.get('cache-control'), 'private, no-store');
    assert.equal(reply.headers.get('vary'), 'Authorization');
    assert.equal(reply.headers.get('www-authenticate'), null);
  });

  it('the answer has exactly the documented members', async () => {
    const { service, accessToken } = deployment();
    const body = (await withToken(`${service.url}${me}`, await accessToken())).json();
    const members = 'audience id issuer kind registered_at scopes subject token';
    assert.equal(Object.keys(body).sort().join(' '), members);
    assert.deepEqual(Object.keys(body.token as object).sort(), ['expires_at', 'issued_at']);
  });

  it('issuer, subject, audience, scopes and times are those of the presented token', async () => {
    const { service, accessToken, issuer } = deployment();
    const token = await accessToken();
    const { claims } = partsOf(token);
    const body = (await withToken(`${service.url}${me}`, token)).json();
    assert.equal(body.issuer, issuer);
    assert.equal(body.issuer, claims.iss);
    assert.equal(body.subject, claims.sub ?? null);
    assert.equal(body.audience, surroundings().audience);
    assert.deepEqual(body.scopes, [grantedScope]);
    assert.deepEqual(body.token, { issued_at: seconds(claims.iat), expires_at: seconds(claims.exp) });
  });

  it('a caller keeps id and registration date; a token without a subject has neither', async () => {
    const { service, accessToken } = deployment();
    const tokens = [await accessToken(), await accessToken()];
    const replies = await Promise.all(tokens.map((token) => withToken(`${service.url}${me}`, token)));
    const [first, second] = replies.map((reply) => reply.json());
    assert.deepEqual([second?.id, second?.registered_at], [first?.id, first?.registered_at]);
    if (partsOf(tokens[0] as string).claims.sub === undefined) {
      assert.deepEqual([first?.id, first?.registered_at], [null, null]);
    } else {
      assert.match(String(first?.id), pseudonymForm);
      assert.equal(first?.registered_at, new Date(String(first?.registered_at)).toISOString());
      assert.equal(first?.kind, 'client', 'the client is its own subject');
    }
  });

  it('HEAD has the status and content type of GET, without a body', async () => {
    const { service, accessToken } = deployment();
    const headers = { authorization: `Bearer ${await accessToken()}` };
    const reply = await request(`${service.url}${me}`, { method: 'HEAD', headers });
    assert.deepEqual([reply.status, reply.text], [200, '']);
    assert.equal(reply.headers.get('content-type'), 'application/json');
  });
});

for (const database of databaseEngines)
  describe(`token shapes at GET /me, on ${database}`, () => {
    const masterSecret = newMasterSecret();
    const running = deployment({ engine: database, settings: { MASTER_SECRET: masterSecret } });
    const open = async (changes: Claims = {}, at = running().service) => {
      const reply = await withToken(`${at.url}${me}`, await running().provider.token(changes));
      assert.equal(reply.status, 200, reply.text);
      return reply.json();
    };

    it('keys are downloaded once, and requests do not call the provider', async () => {
      await Promise.all(Array.from({ length: 20 }, () => open()));
      assert.equal(running().provider.fetches, 1);
    });

    it('the answer has no personal data of the token except the subject', async () => {
      const reply = await withToken(`${running().service.url}${me}`, await running().provider.token());
      assert.equal(reply.json().subject, canaryClaims.sub);
      assertNothingPersonal(reply, [canaryClaims.sub]);
    });

    it('a caller is a client if the token has no subject or has the client as subject', async () => {
      const kinds: Record<string, Claims> = {
        'user alone': { sub: 'kind-1' },
        'user through a client': { sub: 'kind-2', client_id: 'c', azp: 'c' },
        'client as subject': { sub: 'kind-3', client_id: 'kind-3' },
        'client as authorized party': { sub: 'kind-4', azp: 'kind-4' },
        'client without subject': { sub: undefined, client_id: 'kind-5' },
      };
      const found: Record<string, unknown> = {};
      for (const [name, changes] of Object.entries(kinds)) found[name] = (await open(changes)).kind;
      assert.deepEqual(found, {
        'user alone': 'user',
        'user through a client': 'user',
        'client as subject': 'client',
        'client as authorized party': 'client',
        'client without subject': 'client',
      });
    });

    it('the id is a keyed hash of issuer and subject', async () => {
      const key = new Uint8Array(hkdfSync('sha256', masterSecret, '', 'vestibule/pseudonym/v1', 32));
      const hash = createHmac('sha256', key).update(`${running().provider.origin}\0${canaryClaims.sub}`);
      assert.equal((await open()).id, `usr_${hash.digest('base64url')}`);
    });

    it('another process on the same database gives the caller the same id and date', async () => {
      const first = await open({ sub: 'wanderer' });
      const other = await startService(running().service.settings);
      const second = await open({ sub: 'wanderer' }, other).finally(() => other.stop());
      assert.deepEqual([second.id, second.registered_at], [first.id, first.registered_at]);
    });

    it('the audience may be one of several, and the issuer may end with one slash', async () => {
      const { audience } = surroundings();
      const body = await open({
        aud: ['https://other.example', audience],
        iss: `${running().provider.origin}/`,
      });
      assert.deepEqual([body.audience, body.issuer], [audience, `${running().provider.origin}/`]);
    });

    it('a token may leave out scope and issue time', async () => {
      const body = await open({ scope: undefined, iat: undefined });
      assert.deepEqual([body.scopes, (body.token as Record<string, unknown>).issued_at], [[], null]);
    });
  });

it('keys default to /.well-known/jwks.json, and every listed algorithm is accepted', async () => {
  const provider = await TestProvider.start();
  const key = await makeKey();
  const asked: unknown[] = [];
  const keyServer = createServer(({ url }, response) => {
    asked.push(url);
    response.end(JSON.stringify({ keys: [provider.key.jwk, { ...key.jwk, alg: 'PS256' }] }));
  }).listen(0, '127.0.0.1');
  await once(keyServer, 'listening');
  const origin = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`;
  const settings = { IDP_ORIGIN: origin, ALLOWED_ALGORITHMS: 'RS256, PS256' };
  const service = await startService(await newSettings('sqlite', settings));
  try {
    const rs256 = await provider.token({ iss: origin });
    const ps256 = await new SignJWT(provider.claims({ iss: origin }))
      .setProtectedHeader({ alg: 'PS256', kid: key.kid })
      .sign(key.privateKey);
    for (const token of [rs256, ps256])
      assert.equal((await withToken(`${service.url}${me}`, token)).status, 200);

    assert.deepEqual(asked, ['/.well-known/jwks.json']);
  } finally {
    await service.stop();
    keyServer.close();
    await provider.stop();
  }
});
