import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertEmptyObject } from '../support/http/answers.ts';
import { type Credentials, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { onEveryDeployment } from './deployments.ts';

onEveryDeployment((deployment) => {
  const refuse = async (credentials: Credentials, what: string) =>
    assertEmptyObject(await postToken(deployment().service.url, credentialsBody(credentials)), 401, what);

  it('the right credentials are accepted (control for the refusals below)', async () => {
    const { service, client } = deployment();
    assert.equal((await postToken(service.url, credentialsBody(client))).status, 200);
  });

  it('a secret that differs in any character is 401', async () => {
    const { id, secret } = deployment().client;
    const resembling = [secret.slice(0, -1), ` ${secret}`, ...['x', '\n', '\0'].map((end) => secret + end)];
    const others = [secret.toUpperCase(), 'x', secret.replace('vsec_', ''), 'x'.repeat(10_000)];
    for (const wrong of [...resembling, ...others]) await refuse({ id, secret: wrong }, wrong.slice(0, 80));
  });

  it('an id that differs in any character, or is impossible, is 401', async () => {
    const { id, secret } = deployment().client;
    const resembling = ['nobody', id.toUpperCase(), ` ${id}`, `${id} `, `${id}\0`, `${id}x`, id.slice(1)];
    const impossible = ['-', '%', "' or 1=1 --", '*', '../x', 'é', '__proto__', 'x'.repeat(10_000)];
    for (const wrong of [...resembling, ...impossible])
      await refuse({ id: wrong, secret }, wrong.slice(0, 80));
  });
});
