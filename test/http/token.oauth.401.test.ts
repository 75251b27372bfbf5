import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { assertNoEcho } from '../support/http/refusals.ts';
import { deployment } from '../support/services/deployment.ts';
import { runVestibule } from '../support/services/service.ts';
import { addKeyClient, makeClientKey } from '../support/tokens/client-keys.ts';
import {
  addClientWith,
  assertOAuthError,
  basic,
  encodeForm,
  formType,
  grant,
  inBody,
  percentEncoded,
  postForm,
  rawBasic,
} from '../support/tokens/oauth-form.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

describe('wrong credentials in a form at POST /token', () => {
  let client: Credentials;
  let other: Credentials;
  let disabled: Credentials;
  const running = deployment({
    settings: { REFUSALS_PER_MINUTE: '1000000' },
    prepare: async (settings) => {
      client = await addClientWith(settings, 'good-client');
      const key = await makeClientKey('ES256');
      other = await addClientWith(settings, 'other-client');
      disabled = await addClientWith(settings, 'disabled-client');
      await addKeyClient(settings, 'key-client', [key]);
      succeeded(await runVestibule(settings, 'client', 'disable', disabled.id));
    },
  });
  const url = () => running().service.url;

  /** Asserts a refusal in body and header, without an echo of the secret. */
  const refuse = async (credentials: Credentials, what: string) => {
    const { id, secret } = credentials;
    const halves = [id, secret].map((half) => encodeForm([['', half]]).slice(1)).join(':');
    const replies = [
      await postForm(url(), inBody(credentials)),
      await postForm(url(), grant, rawBasic(halves)),
    ];
    for (const reply of replies) {
      assertOAuthError(reply, 401, 'invalid_client', what);
      assertNoEcho(reply, secret);
    }
  };
  const refuseHeader = async (authorization: string) => {
    const reply = await postForm(url(), grant, { authorization });
    assertOAuthError(reply, 401, 'invalid_client', authorization);
  };

  it('the right credentials are granted (control for the refusals below)', async () => {
    for (const credentials of [client, other]) {
      assert.equal((await postForm(url(), inBody(credentials))).status, 200);
      assert.equal((await postForm(url(), grant, basic(credentials))).status, 200);
    }
  });

  it('a secret that differs in any character is refused', async () => {
    const { id, secret } = client;
    const almost = [secret.slice(0, -1), ` ${secret}`, ...['x', '\n', '\0', '+'].map((end) => secret + end)];
    const others = [other.secret, disabled.secret, secret.toUpperCase(), 'x', 'é', 'x'.repeat(8_000)];
    for (const wrong of [...almost, ...others]) await refuse({ id, secret: wrong }, wrong.slice(0, 80));
  });

  it('an id that differs in any character, or is impossible, is refused', async () => {
    const { id, secret } = client;
    const almost = ['nobody', other.id, id.toUpperCase(), ` ${id}`, `${id} `, `${id}\0`, id.slice(1)];
    const impossible = ['-', '%', "' or 1=1 --", '*', '../x', 'é', '__proto__', ':', 'x'.repeat(8_000)];
    for (const wrong of [...almost, ...impossible]) await refuse({ id: wrong, secret }, wrong.slice(0, 80));
  });

  it('a disabled client and a client that has only keys are refused', async () => {
    await refuse(disabled, 'disabled');
    for (const secret of [client.secret, 'null', 'undefined', '{}', 'x'])
      await refuse({ id: 'key-client', secret }, `a client with keys and ${secret}`);
  });

  it('[C95] HTTP Basic without a colon, id or secret is refused', async () => {
    const { id, secret } = client;
    for (const halves of [id, secret, `${id}${secret}`, `${id};${secret}`, `${id}%3A${secret}`, ':'])
      await refuseHeader(rawBasic(halves).authorization);
    for (const halves of [`${id}:`, `:${secret}`, `${id}::${secret}`, `${id}:${secret}:`])
      await refuseHeader(rawBasic(halves).authorization);
  });

  it('[C95] HTTP Basic that is not base64 is refused', async () => {
    const { authorization } = basic(client);
    const [, encoded = ''] = authorization.split(' ');
    const plain = `${client.id}:${client.secret}`;
    const around = [`${encoded}!`, `!${encoded}`, `"${encoded}"`, `${encoded} x`];
    for (const text of ['', plain, ...around, '====', 'é='])
      await refuseHeader(`Basic ${Buffer.from(text).toString('latin1')}`);
    await refuseHeader(`Basic${encoded}`);
    await refuseHeader(`Basic: ${encoded}`);
    await refuseHeader('Basic');
  });

  it('[C95] another scheme and a repeated Authorization header are refused', async () => {
    const { authorization } = basic(client);
    const [, encoded] = authorization.split(' ');
    for (const scheme of ['Bearer', 'Digest', 'Token', 'XBasic', 'Basic Basic'])
      await refuseHeader(`${scheme} ${encoded}`);
    await refuseHeader(String(encoded));
    const body = encodeForm(grant);
    const lines = [`content-type: ${formType}`, `content-length: ${body.length}`];
    const twice = [`authorization: ${authorization}`, `authorization: ${authorization}`];
    const reply = await rawReply(url(), `${head('POST', '/token', ...lines, ...twice)}${body}`);
    assertOAuthError(reply, 401, 'invalid_client', 'two headers');
  });

  it('[C95] Basic credentials are decoded exactly once, with a plus as a space', async () => {
    const { id, secret } = client;
    const twice = (text: string) => percentEncoded(percentEncoded(text));
    for (const halves of [
      ...[`${id}+:${secret}`, `${id}:+${secret}`, `${id}:${secret}%20`, `${twice(id)}:${secret}`],
      ...[`${id}:${twice(secret)}`, `${id}:${secret}%00`, `\ufeff${id}:${secret}`],
    ])
      await refuseHeader(rawBasic(halves).authorization);
  });
});
