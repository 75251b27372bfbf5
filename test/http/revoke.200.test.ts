import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { plainSql } from '../support/databases/plain-sql.ts';
import { assertNoEcho, assertRefused } from '../support/http/refusals.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { Deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import {
  addClientWith,
  assertOAuthError,
  basic,
  encodeForm,
  formType,
} from '../support/tokens/oauth-form.ts';
import { type Credentials, tokenOf } from '../support/tokens/token-endpoint.ts';

for (const [engine, count] of [
  ['sqlite', 1],
  ['postgres', 2],
] as const)
  describe(`POST /revoke: ${engine}, processes: ${count}`, () => {
    let processes: Deployment;
    let [client, other]: Credentials[] = [];
    before(async () => {
      processes = await Deployment.start({ engine, processes: count });
      client = await addClientWith(processes.settings, 'machine');
      other = await addClientWith(processes.settings, 'another');
    });
    after(() => processes.stop());

    const url = () => String(processes.services[0]?.url);
    const post = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Reply> =>
      request(`${url()}/revoke`, {
        method: 'POST',
        headers: { 'content-type': formType, ...headers },
        body: encodeForm(fields),
      });
    const revoke = (token: string, credentials = client as Credentials) =>
      post({ token }, basic(credentials));
    const done = (reply: Reply) => {
      assert.deepEqual([reply.status, reply.text], [200, '']);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
    };
    const live = async (credentials = client as Credentials) => {
      const token = await tokenOf(url(), credentials);
      await processes.letIn([token]);
      return token;
    };
    const refusedEverywhere = async (token: string) => {
      for (const reply of await processes.become(403, token)) assertRefused(reply, 'token_revoked', token);
    };

    it('revokes the token at every process, and no other token of the client', async () => {
      const [token, kept] = [await live(), await live()];
      done(await revoke(token));
      await refusedEverywhere(token);
      await processes.letIn([kept]);
      done(await revoke(token));
      await refusedEverywhere(token);
    });

    it('repeated revocation of one token is counted once and causes no reload', async () => {
      const database = plainSql(processes.settings);
      const changes = async () =>
        (await database.query('select revocations as count from changes'))[0]?.count;
      const counted = async () => {
        const metrics = String(await processes.services[0]?.metrics());
        return Number(metrics.match(/^vestibule_sign_outs_total\{by="client"\} (\d+)/m)?.[1]);
      };
      const token = await live();
      const before = await changes();
      const countedBefore = await counted();
      done(await revoke(token));
      const once = await changes();
      assert.notEqual(once, before, 'control: the first is announced');
      for (let count = 0; count < 3; count += 1) done(await revoke(token));
      assert.equal(await changes(), once);
      assert.equal(await counted(), countedBefore + 1);
      await refusedEverywhere(token);
    });

    it('accepts credentials in the body, and a token_type_hint', async () => {
      const token = await live();
      const { id, secret } = client as Credentials;
      done(await post({ token, token_type_hint: 'access_token', client_id: id, client_secret: secret }));
      await refusedEverywhere(token);
    });

    it('leaves the token of another client valid, with the same answer', async () => {
      const token = await live(other);
      done(await revoke(token));
      await processes.letIn([token]);
      done(await revoke(token, other));
      await refusedEverywhere(token);
    });

    it('gives the same answer for a foreign or malformed token', async () => {
      const foreign = await processes.provider.token();
      const token = await live();
      for (const nothing of [foreign, 'x', `${token}x`, token.slice(0, -4), 'x'.repeat(10_000)])
        done(await revoke(nothing));
      await processes.letIn([token, foreign]);
    });

    it('refuses callers that are not authenticated clients, and revokes nothing', async () => {
      const token = await live();
      const wrong = { id: 'machine', secret: 'not-its-secret' };
      for (const credentials of [wrong, { id: 'nobody', secret: 'x' }]) {
        const reply = await revoke(token, credentials);
        assertOAuthError(reply, 401, 'invalid_client', 'wrong credentials');
        assertNoEcho(reply, token);
      }
      assertOAuthError(await post({ token }), 400, 'invalid_request', 'no credentials');
      assertOAuthError(await post({}, basic(client as Credentials)), 400, 'invalid_request', 'no token');
      const bearer = { authorization: `Bearer ${token}` };
      assertOAuthError(await post({ token }, bearer), 401, 'invalid_client', 'the token itself');
      const json = await request(`${url()}/revoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...basic(client as Credentials) },
        body: JSON.stringify({ token }),
      });
      assertOAuthError(json, 400, 'invalid_request', 'JSON');
      await processes.letIn([token]);
    });

    it('a standard client can discover and use it', async () => {
      const issuer = new URL(String(processes.settings.BASE_URL));
      const document = await request(`${url()}/.well-known/oauth-authorization-server`);
      const server = {
        ...document.json<oauth.AuthorizationServer>(),
        revocation_endpoint: `${url()}/revoke`,
      };
      assert.equal(document.json().revocation_endpoint, `${issuer.href}/revoke`);
      const token = await live();
      const { id, secret } = client as Credentials;
      const response = await oauth.revocationRequest(
        server,
        { client_id: id },
        oauth.ClientSecretBasic(secret),
        token,
        { [oauth.allowInsecureRequests]: true },
      );
      await oauth.processRevocationResponse(response);
      await refusedEverywhere(token);
    });

    it('a revocation is deleted once the token has expired', async () => {
      const token = await live();
      done(await revoke(token));
      await refusedEverywhere(token);
      await processes.advance(700_000);
      const [reply] = await Promise.all([withToken(`${url()}${me}`, token)]);
      assertRefused(reply as Reply, 'token_expired', token);
      done(await revoke(token));
      await until(
        async () => processes.services[0]?.metrics(),
        (metrics) => /^vestibule_revocations 0$/m.test(String(metrics)),
        'it is still known',
      );
    });
  });
