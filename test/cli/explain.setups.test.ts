import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { explained, leaksOf } from '../support/commands/explained.ts';
import { succeeded } from '../support/commands/outcome.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import {
  addClient,
  me,
  newSettings,
  runVestibule,
  type Service,
  startService,
} from '../support/services/service.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

/** Explains a token and compares the verdict with the running service. */
async function bothSay(service: Service, token: string) {
  const explanation = await explained(service.settings, token);
  const reply = await withToken(service.url + me, token);
  const { code = null } = reply.json<{ code?: string }>();
  assert.deepEqual(
    { status: explanation.status, code: explanation.code },
    { status: reply.status, code },
    explanation.summary,
  );
  assert.deepEqual(leaksOf(token, JSON.stringify({ ...explanation, pseudonym: null })), []);
  const found = (step: string) => explanation.steps.find(({ name }) => name === step)?.found ?? '';
  return { ...explanation, found };
}

describe('explain with REQUIRE_AT_JWT and an unreachable provider', () => {
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.down();
    service = await startService(
      await newSettings('sqlite', { ...provider.settings, REQUIRE_AT_JWT: 'true' }),
    );
  });
  after(() => service.stop());

  it('reports the missing type and the setting to change', async () => {
    const { code, summary } = await bothSay(service, await provider.token({}, { typ: 'JWT' }));
    assert.equal(code, 'token_type_not_allowed');
    assert.match(summary, /"typ": "at\+jwt" are accepted \(REQUIRE_AT_JWT\).*set REQUIRE_AT_JWT=false/);
  });

  it('reports unreachable keys', async () => {
    const { code, summary, found } = await bothSay(service, await provider.token({}, { typ: 'at+jwt' }));
    assert.equal(code, 'keys_unavailable');
    assert.match(summary, /keys of the issuer cannot be fetched.*IDP_ORIGIN and IDP_JWKS_PATH/);
    assert.match(found('key'), /\/jwks": no connection \(ECONNREFUSED\)/);
  });
});

describe('explain, tokens of POST /token', () => {
  const given = deployment();
  let token: string;
  before(async () => {
    const { service } = given();
    const secret = await addClient(service.settings, 'robot');
    token = await tokenOf(service.url, { id: 'robot', secret });
  });

  it('finds the keys in the database and prints their age', async () => {
    const { code, found } = await bothSay(given().service, token);
    assert.equal(code, null);
    assert.match(found('issuer'), /: this service$/);
    assert.match(found('key'), /from the database, made \d+ s ago$/);
    assert.match(found('subject'), /machine client/);
  });

  it('reports a key that the service does not have', async () => {
    const { service, provider } = given();
    const claims = { iss: service.settings.BASE_URL, jti: 'a.b' };
    const { code } = await bothSay(service, await provider.token(claims, { typ: 'at+jwt' }));
    assert.equal(code, 'key_unknown');
  });

  it('reports a token of the service without a kid', async () => {
    const { service } = given();
    const { privateKey } = await ownSigningKey(service.settings);
    const header = { alg: String(decodeProtectedHeader(token).alg), typ: 'at+jwt' };
    const nameless = await new SignJWT(decodeJwt(token)).setProtectedHeader(header).sign(privateKey);
    const { code, summary } = await bothSay(service, nameless);
    assert.equal(code, 'key_unknown');
    assert.match(summary, /names no key/);
  });

  it('works without a database, and reports the caller as unknown', async () => {
    const { provider } = given();
    const settings = await newSettings('sqlite', provider.settings);
    const { code, steps } = await explained(settings, await provider.token());
    assert.equal(code, null);
    assert.match(steps.find(({ name }) => name === 'caller')?.found ?? '', /no database of this release yet/);
    assert.equal((await explained(settings, token)).code, 'key_unknown');
  });

  it('uses the stored provider keys and prints their age', async () => {
    const { service, provider } = given();
    const sent = await provider.token();
    await bothSay(service, sent);
    await provider.stop();
    const explain = () => explained(service.settings, sent);
    await until(explain, ({ code }) => code === null, 'the keys are not stored');
    const { found } = await bothSay(service, sent);
    assert.match(found('key'), /stored (\d+ min )?\d+ s ago; they cannot be fetched now: no connection/);
    await provider.comeBack();
  });

  it('reports a disabled client', async () => {
    const { service } = given();
    succeeded(await runVestibule(service.settings, 'client', 'disable', 'robot'));
    const explanation = await explained(service.settings, token);
    assert.equal(explanation.code, 'client_disabled');
    assert.match(explanation.summary, /disabled or removed.*"npx vestibule client list"/);
    const codeOfService = async () => (await withToken(service.url + me, token)).json().code;
    await until(codeOfService, (code) => code === explanation.code, 'the service does not say the same');
  });
});

describe('explain while PostgreSQL is unreachable', () => {
  let provider: TestProvider;
  let service: Service;
  const deployed = deployment({ engine: 'postgres' });
  before(() => {
    ({ provider, service } = deployed());
  });

  it('reports a valid token with storage_unavailable', async () => {
    const sent = await provider.token();
    const { code, summary } = await withoutDatabase(service.settings, () => bothSay(service, sent));
    assert.equal(code, 'storage_unavailable');
    assert.match(summary, /^The token is valid, but the database cannot be read \(/);
  });

  it('accepts the same kind of token with the database (control)', async () => {
    assert.equal((await bothSay(service, await provider.token())).code, null);
  });
});
