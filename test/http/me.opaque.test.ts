import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { explained, leaksOf, runExplain } from '../support/explained.ts';
import { introspectingSettings, opaqueToken } from '../support/introspection.ts';
import { startOpaqueProvider } from '../support/opaque-provider.ts';
import { assertRefused } from '../support/refusals.ts';
import { withToken } from '../support/request.ts';
import { type ClockedService, me, runVestibule, startService } from '../support/service.ts';
import { audience } from '../support/surroundings.ts';

describe('opaque tokens of a certified provider', () => {
  let provider: Awaited<ReturnType<typeof startOpaqueProvider>>;
  let service: ClockedService;
  before(async () => {
    provider = await startOpaqueProvider();
    service = await startService(await introspectingSettings(provider), { clocked: true });
  });
  after(async () => {
    provider.stop();
    await service.stop();
  });
  const ask = (token: string) => withToken(`${service.url}${me}`, token);
  const questions = async (result: string) => {
    const line = `vestibule_introspections_total{provider="main",result="${result}"} `;
    const found = (await service.metrics()).split('\n').find((text) => text.startsWith(line));
    return Number(found?.slice(line.length) ?? 0);
  };

  it("a person's token is accepted with the introspected claims, and introspected once", async () => {
    const before = await questions('active');
    const token = await provider.userToken('person-1');
    for (let count = 0; count < 5; count += 1) {
      const reply = await ask(token);
      assert.equal(reply.status, 200, reply.text);
      const { kind, issuer, subject, audience: ours, scopes } = reply.json();
      assert.deepEqual(
        { kind, issuer, subject, ours, scopes },
        { kind: 'user', issuer: provider.origin, subject: 'person-1', ours: audience, scopes: ['consumer'] },
      );
    }
    assert.equal((await questions('active')) - before, 1);
  });

  it('two tokens of one person give one id, and another person another id', async () => {
    const idOf = async (account: string) =>
      (await ask(await provider.userToken(account))).json<{ id: string }>().id;
    assert.equal(await idOf('person-2'), await idOf('person-2'));
    assert.notEqual(await idOf('person-2'), await idOf('person-3'));
  });

  it('a machine token is accepted as a client', async () => {
    const reply = await ask(await provider.programToken());
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json().kind, 'client');
  });

  it('refuses a token that the provider has not issued', async () => {
    const token = opaqueToken();
    assertRefused(await ask(token), 'token_inactive', token);
  });

  it('refuses a refresh token, although introspection calls it active', async () => {
    const token = await provider.refreshToken('person-4');
    assertRefused(await ask(token), 'audience_mismatch', token);
  });

  it('a revoked token is accepted for at most one minute', async () => {
    const token = await provider.userToken('person-5');
    assert.equal((await ask(token)).status, 200);
    await provider.revoke(token);
    await service.advance(59_000);
    assert.equal((await ask(token)).status, 200);
    await service.advance(1_000);
    assertRefused(await ask(token), 'token_inactive', token);
  });

  it('doctor and explain pass, and print no part of the token', async () => {
    const token = await provider.userToken('person-6');
    const { stdout } = await runVestibule(service.settings, 'doctor');
    assert.match(stdout, /^pass {2}introspection +http\S+ reports a made-up token as inactive$/m);
    const found = await explained(service.settings, token);
    assert.equal(found.code, null, found.summary);
    const printed = await runExplain(service.settings, token);
    assert.equal(printed.code, 0, printed.stdout);
    assert.match(printed.stdout, /^pass {2}introspection +the provider says that it is active$/m);
    assert.deepEqual(leaksOf(token, printed.stdout + printed.stderr), []);
    assert.ok(!printed.stdout.includes('person-6'));
    const refused = await explained(service.settings, opaqueToken());
    assert.equal(refused.code, 'token_inactive');
  });
});
