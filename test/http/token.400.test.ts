import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertEmptyObject } from '../support/http/answers.ts';
import { head, rawReply } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { bodyWith, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { onEveryDeployment } from './deployments.ts';
import { invalidValues, validValues } from './json-bodies.ts';

onEveryDeployment((deployment) => {
  const refuse = async (body: string | Uint8Array, what: string, contentType?: string) =>
    assertEmptyObject(await postToken(deployment().service.url, body, contentType), 400, what);

  /** Over a raw socket, for requests that no HTTP client would send. */
  const refuseRaw = async (what: string, headerLines: readonly string[], body: string) => {
    const bytes = `${head('POST', '/token', ...headerLines)}${body}`;
    assertEmptyObject(await rawReply(deployment().service.url, bytes), 400, what);
  };

  it('the right credentials are accepted (control for the refusals below)', async () => {
    const { service, client } = deployment();
    assert.equal((await postToken(service.url, credentialsBody(client))).status, 200);
  });

  it('a request without a body is 400', async () => {
    await refuseRaw('nothing', [], '');
    await refuseRaw('a length of zero', ['content-length: 0'], '');
    await refuseRaw('only a type', ['content-type: application/json'], '');
    const chunked = ['content-type: application/json', 'transfer-encoding: chunked'];
    await refuseRaw('no chunks', chunked, '0\r\n\r\n');
    const reply = await request(`${deployment().service.url}/token`, { method: 'POST' });
    assertEmptyObject(reply, 400, 'fetch without a body');
  });

  it('an empty, truncated or continued document is 400', async () => {
    const whole = credentialsBody(deployment().client);
    for (const body of ['', ' ', '\n\t ', '{', '{}', whole.slice(0, -1), whole.slice(1), whole.slice(0, 20)])
      await refuse(body, body);

    for (const end of ['x', ',', '}', '{}', 'null', ' ;', '\u0000', whole])
      await refuse(whole + end, `+${end}`);
  });

  it('JSON without credentials is 400', async () => {
    for (const value of validValues) await refuse(value, String(value).slice(0, 80));
    await refuse(`[${credentialsBody(deployment().client)}]`, 'credentials in an array');
  });

  it('invalid JSON is 400, even with the right credentials in it', async () => {
    const { client } = deployment();
    for (const value of invalidValues) await refuse(bodyWith(client, value), String(value).slice(0, 80));
  });

  it('a missing, empty or non-string credential is 400, and nothing is converted', async () => {
    const { id, secret } = deployment().client;
    const objects: unknown[] = [[], [id], [secret], {}, { $ne: null }, { toString: id }, [[id]]];
    const values: unknown[] = ['', null, 1, 0, true, ...objects];
    const inner = { client_id: id, client_secret: secret };
    const bodies: object[] = [{ client_id: id }, { client_secret: secret }, { id, secret }];
    for (const value of values) bodies.push({ client_id: value, client_secret: secret });
    for (const value of values) bodies.push({ client_id: id, client_secret: value });
    bodies.push({ credentials: inner }, { Client_Id: id, Client_Secret: secret });
    for (const body of bodies) await refuse(JSON.stringify(body), JSON.stringify(body));
    const inherited = `{"__proto__":${credentialsBody(deployment().client)}}`;
    await refuse(inherited, inherited);
  });

  it('a duplicate member is 400, whichever value is right', async () => {
    const { id, secret } = deployment().client;
    const right = `"client_id":"${id}","client_secret":"${secret}"`;
    const bodies = [
      `{"client_id":"${id}","client_secret":"wrong","client_secret":"${secret}"}`,
      `{"client_id":"${id}","client_secret":"${secret}","client_secret":"wrong"}`,
      `{"client_id":"other","client_id":"${id}","client_secret":"${secret}"}`,
      ...[`{${right},"client_id":"other"}`, `{${right},${right}}`, `{${right},"client\\u005fid":"${id}"}`],
      ...[`{${right},"extra":1,"extra":1}`, `{${right},"extra":{"a":[{"b":1,"b":2}]}}`],
    ];
    for (const body of bodies) await refuse(body, body.replaceAll(secret, '(secret)'));
  });

  it('JSON whose work grows faster than its size is 400, even with the right credentials in it', async () => {
    const { service, client } = deployment();
    const named = (marks: number) => JSON.stringify({ [`a${'\u0301\u0323'.repeat(marks / 2)}`]: 1 });
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    for (const value of [named(32), named(12_000), nested(1_100), nested(20_000)])
      await refuse(bodyWith(client, value), value.slice(0, 80));
    for (const value of [named(30), nested(500)])
      assert.equal((await postToken(service.url, bodyWith(client, value))).status, 200, value.slice(0, 80));
  });

  it('a string of digits is accepted as a string, a number is not', async () => {
    const { service } = deployment();
    await refuse('{"client_id":1,"client_secret":1}', 'numbers');
    const strings = await postToken(service.url, '{"client_id":"1","client_secret":"1"}');
    assertEmptyObject(strings, 401, 'strings are credentials, though wrong ones');
  });

  it('a body of another content type is not read', async () => {
    const body = credentialsBody(deployment().client);
    const json = ['jsonp', 'json+x', 'problem+json', 'json;x=1'].map((name) => `application/${name}`);
    const charsets = ['utf-16', 'iso-8859-1', 'utf-8; charset=utf-16'];
    for (const type of [
      ...['text/plain', 'text/json', 'application/xml', 'multipart/form-data; boundary=x', '*/*', 'json'],
      ...[...json, ...charsets.map((name) => `application/json;charset=${name}`)],
      ...['APPLICATION/JSON', 'Application/Json'],
    ])
      await refuse(body, type, type);
  });

  it('a body with a missing, empty or double content type is not read', async () => {
    const body = credentialsBody(deployment().client);
    const length = `content-length: ${body.length}`;
    await refuseRaw('none', [length], body);
    await refuseRaw('empty', [length, 'content-type:'], body);
    const two = ['content-type: application/json', 'content-type: text/plain'];
    await refuseRaw('two types', [length, ...two], body);
    await refuseRaw('two types, the other way round', [length, ...two.toReversed()], body);
    await refuseRaw('two in one line', [length, 'content-type: application/json, text/plain'], body);
  });

  it('[C95] HTTP Basic without a body, or beside JSON credentials, is 400', async () => {
    const { service, client } = deployment();
    const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    const body = credentialsBody(client);
    for (const authorization of [basic, basic.replace('B', 'b'), 'Basic x']) {
      const alone = { method: 'POST', headers: { authorization } };
      assertEmptyObject(await request(`${service.url}/token`, alone), 400, `${authorization} alone`);
      const headers = { authorization, 'content-type': 'application/json' };
      const beside = await request(`${service.url}/token`, { method: 'POST', headers, body });
      assertEmptyObject(beside, 400, `${authorization} beside a body`);
    }
  });

  it('a form with the content type of JSON is 400', async () => {
    const { client } = deployment();
    const fields = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    await refuse(new URLSearchParams(fields).toString(), 'form');
  });

  it('credentials in the query are not read', async () => {
    const { service, client } = deployment();
    const query = new URLSearchParams({ client_id: client.id, client_secret: client.secret });
    const url = `${service.url}/token?${query}`;
    assertEmptyObject(await request(url, { method: 'POST' }), 400, 'no body');
    const headers = { 'content-type': 'application/json' };
    assertEmptyObject(await request(url, { method: 'POST', headers, body: '{}' }), 400, 'an empty object');
  });
});
