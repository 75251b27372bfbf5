import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { explained } from '../support/commands/explained.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { assertEmptyObject } from '../support/http/answers.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { atOnce, Deployment } from '../support/services/deployment.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

/** Tokens must not expire during a test. */
const settings = { TOKEN_TTL_SECONDS: '3600' };

for (const [engine, count] of [
  ['sqlite', 1],
  ['postgres', 2],
] as const)
  describe(`revocation by the operator: ${engine}, processes: ${count}`, () => {
    let processes: Deployment;
    let bystander: string;
    before(async () => {
      processes = await Deployment.start({ engine, processes: count, settings });
      bystander = await liveToken(await processes.addClient('bystander'));
    });
    after(() => processes.stop());

    const letIn = (token: string) => processes.letIn([token]);
    /** A token that every process has accepted twice, so that all have cached it. */
    const liveToken = async (credentials: Credentials): Promise<string> => {
      const [token = ''] = await processes.tokens(credentials);
      await letIn(token);
      await letIn(token);
      return token;
    };
    const refusedSoon = async (token: string) => {
      for (const reply of await processes.become(403, token)) assertRefused(reply, 'client_disabled', token);
      await letIn(bystander);
    };
    const refusedAtToken = async (credentials: Credentials) => {
      const replies = await until(
        () => processes.postTokens(credentials),
        (all) => all.every(({ status }) => status === 401),
        'POST /token does not become 401 everywhere',
      );
      for (const reply of replies) assertEmptyObject(reply, 401, 'POST /token');
    };
    const secretIds = async (id: string): Promise<string[]> => {
      type Listed = { client_id: string; secrets: { secret_id: string }[] };
      const clients = await processes.jsonOf<Listed[]>('client', 'list');
      const client = clients.find(({ client_id: name }) => name === id);
      return client?.secrets.map(({ secret_id: name }) => name) ?? [];
    };

    it('[C108] the token of a disabled client is refused everywhere soon, and accepted again when enabled', async () => {
      const client = await processes.addClient('to-disable');
      const token = await liveToken(client);
      for (let time = 0; time < 2; time += 1) {
        await processes.command('client', 'disable', 'to-disable');
        await refusedAtToken(client);
        await refusedSoon(token);
        await processes.command('client', 'enable', 'to-disable');
        await processes.become(200, token);
        await liveToken(client);
      }
    });

    it('[C108] the token of a removed client is refused everywhere soon', async () => {
      const client = await processes.addClient('to-remove');
      const token = await liveToken(client);
      await processes.command('client', 'remove', 'to-remove', '--yes');
      await refusedAtToken(client);
      await refusedSoon(token);
    });

    it("[C108] the token of a removed secret is refused everywhere soon, while the other secret's token works", async () => {
      const leaked = await processes.addClient('two-secrets');
      const leakedToken = await liveToken(leaked);
      const rotated = await processes.jsonOf<{ client_secret: string; secret_id: string }>(
        ...['client', 'rotate', 'two-secrets'],
      );
      const kept = { id: 'two-secrets', secret: rotated.client_secret };
      const keptToken = await liveToken(kept);
      const [leakedId = '', keptId] = await secretIds('two-secrets');
      assert.equal(keptId, rotated.secret_id, 'the older one comes first');

      await processes.command('client', 'remove-secret', 'two-secrets', leakedId);
      await until(
        async () => {
          await letIn(keptToken);
          return processes.statuses(leakedToken);
        },
        (statuses) => statuses.every((status) => status === 403),
        'the token of the removed secret is still let in',
      );
      await refusedSoon(leakedToken);
      await refusedAtToken(leaked);
      await liveToken(kept);
      await letIn(keptToken);
    });

    it('[C108] a new client under the same id does not revive the old tokens', async () => {
      const token = await liveToken(await processes.addClient('comes-back'));
      await processes.command('client', 'remove', 'comes-back', '--yes');
      const successor = await processes.addClient('comes-back');
      await refusedSoon(token);
      await liveToken(successor);
      await refusedSoon(token);
    });

    it('[C108] disabling and removal work the same for a client with a key', async () => {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const file = `${processes.settings.TEST_DIRECTORY}/${randomUUID()}.pem`;
      writeFileSync(file, keys.publicKey.export({ format: 'pem', type: 'spki' }));
      await processes.command('client', 'add', 'with-key', '--public-key', file);
      const token = await tokenBySigning(processes, 'with-key', keys.privateKey);
      await letIn(token);
      await processes.command('client', 'disable', 'with-key');
      await refusedSoon(token);
      await processes.command('client', 'enable', 'with-key');
      await processes.become(200, token);
      await processes.command('client', 'remove', 'with-key', '--yes');
      await refusedSoon(token);
      await processes.command('client', 'add', 'with-key', '--public-key', file);
      const successor = await tokenBySigning(processes, 'with-key', keys.privateKey);
      await letIn(successor);
      await refusedSoon(token);
    });

    it('[C108] a token with a withdrawn scope is refused, its stream ends, and a new token works', async () => {
      const { client_secret: secret } = await processes.jsonOf<{ client_secret: string }>(
        ...['client', 'add', 'to-narrow', '--scope', 'a', '--scope', 'b'],
      );
      const client = { id: 'to-narrow', secret };
      const token = await liveToken(client);
      const streams = await Promise.all(
        processes.services.map(({ url }) => EventStream.open(new ApiCaller(url, token))),
      );
      await processes.command('client', 'scopes', 'to-narrow', 'a');
      for (const reply of await processes.become(403, token)) assertRefused(reply, 'token_revoked', token);
      assert.equal((await explained(processes.settings, token)).code, 'token_revoked');
      for (const stream of streams) {
        await stream.ended();
        assert.equal(stream.reason, 'token_revoked');
      }
      const narrow = await liveToken(client);
      await processes.command('client', 'scopes', 'to-narrow', 'a', 'c');
      await liveToken(client);
      await letIn(narrow);
    });

    it('[C108] without a database a known token works and a disabled client stays refused', async () => {
      const known = await liveToken(await processes.addClient('known'));
      const disabled = await liveToken(await processes.addClient('disabled-before'));
      await processes.command('client', 'disable', 'disabled-before');
      await refusedSoon(disabled);
      await letIn(known);
      await withoutDatabase(processes.settings, async () => {
        await until(
          () => databaseChecks(processes),
          (checks) => checks.every((check) => check === 'does not answer'),
          'control: the database is still there',
        );
        for (let time = 0; time < 5; time += 1) await letIn(known);
        for (const reply of await processes.meAtEach(disabled)) assert.notEqual(reply.status, 200);
      });
      await until(
        () => databaseChecks(processes),
        (checks) => checks.every((check) => check === 'ok'),
        'the database is not used again',
      );
      await letIn(known);
      await processes.command('client', 'disable', 'known');
      await refusedSoon(known);
    });
  });

function databaseChecks({ services }: Deployment): Promise<unknown[]> {
  return atOnce(services.length, async (index) => {
    const reply = await request(`${services[index]?.opsUrl}/readyz`);
    return reply.json<{ checks: { database: string } }>().checks.database;
  });
}

/** A token for a client that signs an assertion (RFC 7523) instead of sending a secret. */
async function tokenBySigning(processes: Deployment, id: string, key: KeyObject): Promise<string> {
  const assertion = await new SignJWT({ iss: id, sub: id, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setAudience(String(processes.settings.BASE_URL))
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key);
  const reply = await request(`${processes.services[0]?.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<{ access_token: string }>().access_token;
}
