import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertEmptyObject } from '../support/http/answers.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { assertionForm } from '../support/tokens/client-keys.ts';
import {
  addClientWith,
  assertOAuthError,
  basic,
  encodeForm,
  type Fields,
  formType,
  grant,
  inBody,
  postForm,
} from '../support/tokens/oauth-form.ts';
import { type Credentials, credentialsBody } from '../support/tokens/token-endpoint.ts';

describe('malformed form at POST /token', () => {
  let client: Credentials;
  const running = deployment({
    settings: { REFUSALS_PER_MINUTE: '1000000' },
    prepare: async (settings) => {
      client = await addClientWith(settings, 'form-client', '--scope', 'read', '--scope', 'write');
      await addClientWith(settings, 'other-client', '--scope', 'others');
    },
  });
  const post = (form: Fields | string | Uint8Array, headers = {}) =>
    postForm(running().service.url, form, headers);
  const refuse = async (form: Fields | string | Uint8Array, what: string, headers = {}) =>
    assertOAuthError(await post(form, headers), 400, 'invalid_request', what);

  it('the right requests are granted (control for the refusals below)', async () => {
    assert.equal((await post(inBody(client))).status, 200);
    assert.equal((await post(grant, basic(client))).status, 200);
  });

  it('[C90] an empty, truncated or non-form body is refused', async () => {
    const json = ['{}', credentialsBody(client), 'null'];
    for (const body of ['', ' ', '\n', '&', '=', '&&==&', 'grant_type', ...json])
      await refuse(body, JSON.stringify(body));
    await refuse(encodeForm(inBody(client)).slice(0, 20), 'cut off in a name');
  });

  it('[C90] bytes that are not UTF-8 or not percent-encoded are refused anywhere in the body', async () => {
    const good = encodeForm(inBody(client));
    for (const part of ['%', '%2', '%zz', '%E9', '%C3%28', '%c0%80', '%ed%a0%80', '%ff'])
      for (const body of [`${good}&x=${part}`, `${good}&${part}=x`, `${good}${part}`])
        await refuse(body, body.slice(good.length));
    for (const bytes of [[0xff], [0xe9], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
      await refuse(Buffer.concat([Buffer.from(`${good}&x=`), Buffer.from(bytes)]), `bytes ${bytes}`);
  });

  it('a form without a grant_type is refused', async () => {
    const { client_id, client_secret } = inBody(client);
    await refuse({ client_id, client_secret }, 'none');
    await refuse({ client_id, client_secret, grant_type: '' }, 'empty');
    await refuse({ client_id, client_secret, Grant_Type: grant.grant_type }, 'in another case');
    await refuse({}, 'none beside Basic', basic(client));
  });

  it('any other grant_type is unsupported_grant_type', async () => {
    const grants = ['password', 'authorization_code', 'refresh_token', 'implicit', '*'];
    const almost = ['Client_Credentials', 'client_credentials ', ' client_credentials', 'client-credentials'];
    const long = ['jwt-bearer', 'device_code'].map((name) => `urn:ietf:params:oauth:grant-type:${name}`);
    for (const grant_type of [...grants, ...almost, ...long]) {
      const replies = [
        await post({ ...inBody(client), grant_type }),
        await post({ grant_type }, basic(client)),
      ];
      for (const reply of replies) assertOAuthError(reply, 400, 'unsupported_grant_type', grant_type);
    }
  });

  it('[C95] credentials sent in two ways at once are refused, even if equal', async () => {
    const assertion = assertionForm('x.y.z');
    await refuse(inBody(client), 'Basic and body', basic(client));
    await refuse({ ...grant, client_secret: client.secret }, 'Basic and the secret alone', basic(client));
    await refuse({ ...assertion, client_secret: client.secret }, 'assertion and secret');
    await refuse(assertion, 'assertion and Basic', basic(client));
    await refuse(inBody(client), 'body and another scheme', { authorization: 'Bearer x' });
    await refuse(inBody(client), 'body and half a header', { authorization: 'Basic' });
  });

  it('a form with missing or partial credentials is refused', async () => {
    await refuse(grant, 'none');
    await refuse({ ...grant, client_id: client.id }, 'no secret');
    await refuse({ ...grant, client_secret: client.secret }, 'no id');
    await refuse({ ...inBody(client), client_secret: '' }, 'an empty secret');
    await refuse({ ...inBody(client), client_id: '' }, 'an empty id');
    const { client_assertion_type } = assertionForm('');
    await refuse({ ...grant, client_assertion_type }, 'only the type of an assertion');
  });

  it('[C95] another client_id in the body beside HTTP Basic is refused', async () => {
    for (const client_id of ['other-client', 'nobody', client.id.toUpperCase(), `${client.id} `])
      await refuse({ ...grant, client_id }, client_id, basic(client));
  });

  it('a repeated field is refused, whatever its name and values', async () => {
    const once = Object.entries({ ...inBody(client), scope: 'read', other: 'x' });
    for (const [name, value] of once)
      for (const again of [value, `${value}x`, '']) {
        await refuse([...once, [name, again]], `${name}=${value}&${name}=${again}`);
        await refuse([[name, again], ...once], `${name}=${again}&${name}=${value}`);
      }
    const encoded = encodeForm(once).concat('&%63lient_id=other-client');
    await refuse(encoded, 'the same name in another encoding');
  });

  it('a scope that the client does not have is invalid_scope, even beside valid ones', async () => {
    const foreign = ['unknown', 'others', 'READ', 'rea', 'reads', '*', 'read unknown', 'read,write'];
    for (const scope of foreign) {
      assertOAuthError(await post({ ...inBody(client), scope }), 400, 'invalid_scope', scope);
      assertOAuthError(await post({ ...grant, scope }, basic(client)), 400, 'invalid_scope', scope);
    }
  });

  it('a malformed scope list is invalid_scope', async () => {
    const blanks = [' ', ' read', 'read ', 'read  write', 'read\twrite', 'read\n'];
    for (const scope of [...blanks, '"read"', 'a\\b', '\0', 'é'])
      assertOAuthError(await post({ ...inBody(client), scope }), 400, 'invalid_scope', JSON.stringify(scope));
  });

  it('[C92] a form of another content type is 400 with an empty object', async () => {
    const types = ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/json'];
    const almost = ['application/x-www-form-urlencodedx', 'x-www-form-urlencoded', `${formType}, text/plain`];
    const names = ['utf-16', 'iso-8859-1', 'utf-8; charset=utf-16'];
    const charsets = names.map((name) => `${formType};charset=${name}`);
    for (const type of [...types, ...almost, ...charsets])
      assertEmptyObject(await post(inBody(client), { 'content-type': type }), 400, type);
  });

  it('[C92] a form with a missing, empty or double content type is 400 with an empty object', async () => {
    const body = encodeForm(inBody(client));
    const send = async (...lines: string[]) => {
      const bytes = `${head('POST', '/token', `content-length: ${body.length}`, ...lines)}${body}`;
      assertEmptyObject(await rawReply(running().service.url, bytes), 400, lines.join());
    };
    await send();
    await send('content-type:');
    for (const other of ['application/json', 'text/plain', formType])
      for (const form of [formType, `${formType}; charset=utf-8`]) {
        await send(`content-type: ${form}`, `content-type: ${other}`);
        await send(`content-type: ${other}`, `content-type: ${form}`);
      }
  });

  it('[C92] multipart/form-data is not read', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(inBody(client))) form.append(name, value);
    const reply = await request(`${running().service.url}/token`, { method: 'POST', body: form });
    assertEmptyObject(reply, 400, 'multipart');
  });
});
