import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertEmptyObject } from '../support/http/answers.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { until } from '../support/run/polling.ts';
import { addClient, runVestibule, type Service } from '../support/services/service.ts';
import { type Credentials, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { onEveryDeployment } from './deployments.ts';

/** Status line, headers in their order and body, without what differs between any two answers. */
async function bytesOfAnswer(service: Service, credentials: Credentials): Promise<string> {
  const body = credentialsBody(credentials);
  const headers = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  const answer = await exchange(service.url, `${head('POST', '/token', ...headers)}${body}`);
  return answer.replace(/^date: .*\r\n/im, '').replace(/^x-request-id: .*\r\n/im, '');
}

onEveryDeployment((deployment) => {
  const disabled = { id: 'disabled-client', secret: '' };
  const removed = { id: 'removed-client', secret: '' };

  before(async () => {
    const { settings } = deployment().service;
    const clients = [disabled, removed];
    for (const client of clients) client.secret = await addClient(settings, client.id);
  });

  const manage = async (...parameters: string[]) => {
    const { code, stderr } = await runVestibule(deployment().service.settings, 'client', ...parameters);
    assert.equal(code, 0, stderr);
  };
  const refuse = async (credentials: Credentials, what: string) =>
    assertEmptyObject(await postToken(deployment().service.url, credentialsBody(credentials)), 401, what);

  it('the right credentials are accepted (control for the refusals below)', async () => {
    const { service, client } = deployment();
    for (const credentials of [client, disabled, removed]) {
      assert.equal((await postToken(service.url, credentialsBody(credentials))).status, 200);
    }
  });

  it('a secret that differs in any character is 401', async () => {
    const { id, secret } = deployment().client;
    const resembling = [
      secret.slice(0, -1),
      `${secret}x`,
      ` ${secret}`,
      `${secret}\n`,
      secret.toUpperCase(),
      'x',
    ];
    const others = [disabled.secret, `${secret}\0`, secret.replace('vsec_', ''), 'x'.repeat(10_000)];
    for (const wrong of [...resembling, ...others]) await refuse({ id, secret: wrong }, wrong.slice(0, 80));
  });

  it('an id that differs in any character, or is impossible, is 401', async () => {
    const { id, secret } = deployment().client;
    const resembling = ['nobody', id.toUpperCase(), ` ${id}`, `${id} `, `${id}\0`, `${id}x`, id.slice(1)];
    const impossible = ['-', '%', "' or 1=1 --", '*', '../x', 'é', '__proto__', 'x'.repeat(10_000)];
    for (const wrong of [...resembling, ...impossible])
      await refuse({ id: wrong, secret }, wrong.slice(0, 80));
  });

  it('unknown, removed and disabled clients and a wrong secret get the same bytes', async () => {
    const { service, client } = deployment();
    await manage('disable', disabled.id);
    await manage('remove', removed.id, '--yes');
    for (const credentials of [disabled, removed]) {
      await until(
        () => postToken(service.url, credentialsBody(credentials)),
        ({ status }) => status === 401,
        `${credentials.id} still gets tokens`,
      );
    }
    const wrong = { id: client.id, secret: 'wrong' };
    const expected = await bytesOfAnswer(service, wrong);
    assert.match(expected, /^HTTP\/1\.1 401 Unauthorized\r\n/);
    assert.ok(expected.endsWith('\r\n\r\n{}'));
    const alike = { unknown: { id: 'nobody', secret: client.secret }, impossible: { id: '?', secret: 'x' } };
    for (const [what, credentials] of Object.entries({ ...alike, disabled, removed, wrong })) {
      assert.equal(await bytesOfAnswer(service, credentials), expected, what);
    }
  });

  it('a client that is enabled again gets tokens', async () => {
    await refuse(disabled, 'still disabled');
    await manage('enable', disabled.id);
    assert.equal((await postToken(deployment().service.url, credentialsBody(disabled))).status, 200);
  });
});
