import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decodeProtectedHeader, type JWK } from 'jose';
import { plainSql } from '../support/databases/plain-sql.ts';
import { request, withToken } from '../support/http/request.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  addClient,
  me,
  newSettings,
  type Service,
  someEngine,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

const services: Service[] = [];
after(async () => {
  for (const service of services) await service.stop();
});

async function start(settings: Service['settings']): Promise<Service> {
  const service = await startService(settings);
  services.push(service);
  return service;
}

const publishedBy = async ({ url }: Service) =>
  (await request(`${url}/.well-known/jwks.json`)).json<{ keys: JWK[] }>().keys;

/** The SQL row of a signing key that another installation with the same master secret has made. */
async function foreignKeyRow(settings: Service['settings'], engine: 'sqlite' | 'postgres') {
  const other = await newSettings(engine, { ...settings, ...(await freshDatabase(engine)) });
  await (await start(other)).stop();
  const sealed = engine === 'sqlite' ? 'hex(sealed_private_key)' : "encode(sealed_private_key, 'hex')";
  const [row] = await plainSql(other).query(
    `select kid, public_jwk, ${sealed} as sealed, created_at from signing_keys`,
  );
  return row as { kid: string; public_jwk: string; sealed: string; created_at: number };
}

async function freshDatabase(engine: 'sqlite' | 'postgres') {
  const { DATABASE_URL, TEST_DIRECTORY } = await newSettings(engine, {});
  return { DATABASE_URL: String(DATABASE_URL), TEST_DIRECTORY: String(TEST_DIRECTORY) };
}

for (const engine of someEngine) {
  describe(`the published key set of this service on ${engine}`, () => {
    it('[B88] contains the old and the new key during a rotation, without private members', async () => {
      const provider = await TestProvider.down();
      const settings = await newSettings(engine, {
        TOKEN_SIGNING_ALG: 'RS256',
        ...provider.settings,
        MASTER_SECRET: newMasterSecret(),
      });
      const secret = await addClient(settings, 'caller');
      const first = await start(settings);
      const oldToken = await tokenOf(first.url, { id: 'caller', secret });
      const [old] = await publishedBy(first);

      const row = await foreignKeyRow(settings, engine);
      const bytes = engine === 'sqlite' ? `x'${row.sealed}'` : `'\\x${row.sealed}'`;
      await plainSql(settings).query(
        `insert into signing_keys (kid, algorithm, public_jwk, sealed_private_key, created_at, signs_from)
         values ('${row.kid}', 'RS256', '${row.public_jwk}', ${bytes}, ${Date.now()}, ${Date.now()}) returning kid`,
      );

      const second = await start(settings);
      const keys = await publishedBy(second);
      assert.deepEqual(keys.map(({ kid }) => kid).sort(), [old?.kid, row.kid].sort());
      for (const key of keys)
        assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
      const newToken = await tokenOf(second.url, { id: 'caller', secret });
      assert.equal(decodeProtectedHeader(newToken).kid, row.kid, 'the newest key signs');
      for (const token of [oldToken, newToken])
        assert.equal((await withToken(second.url + me, token)).status, 200);
    });
  });
}
