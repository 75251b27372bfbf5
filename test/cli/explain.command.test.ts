import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { explained, leaksOf, runExplain } from '../support/commands/explained.ts';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { withoutDatabase } from '../support/faults/unreachable-database.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { part } from '../support/run/surroundings.ts';
import { declarationsFolder, sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, newSettings, runVestibule, type Service, startService } from '../support/services/service.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { TestProvider } from '../support/tokens/provider.ts';

describe('vestibule explain, command', { concurrency: 2 }, () => {
  const given = deployment();

  it('exits with 0 for an accepted token, with header prefix or blanks', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const copies = [
      '  TOKEN\r\n\n',
      'Authorization: Bearer TOKEN\n',
      'DPoP TOKEN',
      'authorization: DPoP TOKEN\n',
    ];
    for (const input of copies.map((copy) => copy.replace('TOKEN', token))) {
      const shown = succeeded(await runExplain(service.settings, input));
      assert.match(shown, /^Accepted\.\n\npass {2}shape /);
      assert.match(shown, /^pass {2}signature +holds$/m);
      assert.match(shown, /^Claims \(their values are not shown\): .*\bemail\b/m);
      assert.doesNotMatch(shown, /usr_/, 'no pseudonym unless it is asked for');
      assert.deepEqual(leaksOf(token, shown), []);
    }
  });

  it('exits with 1 for a refused token, and marks the failed step', async () => {
    const { service, provider } = given();
    const token = await provider.token({ aud: 'https://other.example' });
    const { code, stdout, stderr } = await runExplain(service.settings, token);
    assert.equal(code, 1);
    assert.equal(stderr, '');
    assert.match(stdout, /^Refused with 403 audience_mismatch\. The token is for another audience: /);
    assert.match(stdout, /^FAIL {2}audience +"https:\/\/other\.example"; expected "https:\/\/api\./m);
    assert.deepEqual(leaksOf(token, stdout), []);
  });

  it('prints JSON, and the pseudonym with --pseudonym', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const { id } = (await withToken(service.url + me, token)).json();
    const shown = JSON.parse(succeeded(await runExplain(service.settings, token, '--json', '--pseudonym')));
    assert.equal(shown.accepted, true);
    assert.equal(shown.pseudonym, id);
    const names = shown.steps.map(({ name }: { name: string }) => name);
    const tokenSteps = ['shape', 'header', 'issuer', 'algorithm', 'type', 'key', 'signature'];
    const claims = ['purpose', 'binding', 'times', 'audience', 'subject', 'scopes'];
    assert.deepEqual(names, [...tokenSteps, ...claims, 'caller', 'standing']);
  });

  it('prints read and write access to each collection, and the missing scope', async () => {
    const { service, provider } = given();
    const { files, posts, bookings } = sampleDeclarations;
    const folder = declarationsFolder({ files, posts, bookings });
    const settings = { ...service.settings, COLLECTIONS_DIR: folder };
    const token = await provider.token({ scope: 'files.read' });
    const shown = succeeded(await runExplain(settings, token));
    assert.match(shown, /^files +own records +no: the token lacks the scope "files\.write"$/m);
    assert.match(shown, /^posts +all records +own records$/m);
    const { collections } = JSON.parse(succeeded(await runExplain(settings, token, '--json')));
    const mayDo = { allowed: true, records: 'own', code: null, scope: null };
    const lacks = { allowed: false, records: null, code: 'insufficient_scope', scope: 'files.write' };
    assert.deepEqual(collections, [
      { name: 'bookings', read: mayDo, write: mayDo },
      { name: 'files', read: mayDo, write: lacks },
      { name: 'posts', read: { ...mayDo, records: 'all' }, write: mayDo },
    ]);
    const nobody = await provider.token({ aud: 'https://other.example', scope: 'files.read' });
    const { stdout } = await runExplain(settings, nobody);
    assert.doesNotMatch(stdout, /^files/m, 'nothing of collections for a token that is refused');
  });

  it('refuses a token as argument, and does not print it', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const stderr = exits(
      2,
      await runExplain(service.settings, '', token),
      /the shell keeps in its history.*standard input/,
    );
    assert.deepEqual(leaksOf(token, stderr), []);
  });

  it('reports an empty standard input', async () => {
    refused(await runExplain(given().service.settings, ' \n'), /There is no token on standard input/);
  });

  it('accepts a token of a real provider', async () => {
    const { service } = given();
    const { oidcOrigin, oidcClient } = await part('providers');
    const basic = Buffer.from(`${oidcClient.id}:${oidcClient.secret}`).toString('base64');
    const reply = await request(`${oidcOrigin}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=consumer',
    });
    const settings = { ...service.settings, IDP_ORIGIN: oidcOrigin };
    const shown = succeeded(await runExplain(settings, reply.json<{ access_token: string }>().access_token));
    assert.match(shown, /^pass {2}subject +names a caller by "sub" \(not shown\): a machine client/m);
  });
});

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
    token = (await given().machine('robot')).token;
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
  const given = deployment({ engine: 'postgres' });

  it('reports a valid token with storage_unavailable', async () => {
    const { provider, service } = given();
    const sent = await provider.token();
    const { code, summary } = await withoutDatabase(service.settings, () => bothSay(service, sent));
    assert.equal(code, 'storage_unavailable');
    assert.match(summary, /^The token is valid, but the database cannot be read \(/);
  });

  it('accepts the same kind of token with the database (control)', async () => {
    const { provider, service } = given();
    assert.equal((await bothSay(service, await provider.token())).code, null);
  });
});
