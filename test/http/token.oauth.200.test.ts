import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { type Reply, request, withToken } from '../support/http/request.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import {
  addClientWith,
  basic,
  encodeForm,
  type Fields,
  formType,
  grant,
  inBody,
  percentEncoded,
  postForm,
  rawBasic,
} from '../support/tokens/oauth-form.ts';
import { type Credentials, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

const baseUrl = 'http://127.0.0.1/vestibule';
const ttlSeconds = 300;

describe('POST /token with a form', () => {
  let plain: Credentials;
  let scoped: Credentials;
  const running = deployment({
    settings: { TOKEN_TTL_SECONDS: String(ttlSeconds), TOKEN_SIGNING_ALG: 'RS256' },
    prepare: async (settings) => {
      plain = await addClientWith(settings, 'plain-client');
      const scopes = ['read', 'write', 'admin:all'].flatMap((scope) => ['--scope', scope]);
      scoped = await addClientWith(settings, 'scoped.client_1', ...scopes);
    },
  });
  const post = (form: Fields | string, headers = {}) => postForm(running().service.url, form, headers);
  const claimsOf = async (token: string) => {
    const keys = createRemoteJWKSet(new URL(`${running().service.url}/.well-known/jwks.json`));
    const options = { issuer: baseUrl, audience: surroundings().audience, typ: 'at+jwt' };
    return (await jwtVerify(token, keys, options)).payload;
  };
  /** Checks the members of RFC 6749 section 5.1 and the scope. Returns the token. */
  const granted = (reply: Reply, scope: string | undefined, what: string): string => {
    assert.equal(reply.status, 200, `${what} ${reply.text}`);
    assert.equal(reply.headers.get('content-type'), 'application/json');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    const { access_token: token, ...rest } = reply.json<{ access_token: string }>();
    const described = { token_type: 'Bearer', expires_in: ttlSeconds };
    assert.deepEqual(rest, scope === undefined ? described : { ...described, scope }, what);
    return token;
  };
  /** Asserts exactly the claims of RFC 9068. */
  const assertClaims = async (token: string, { id }: Credentials, scope?: string) => {
    const { iat = 0, jti, ...rest } = await claimsOf(token);
    assert.ok(Number.isInteger(iat) && Math.abs(iat - Date.now() / 1000) < 60);
    assert.match(String(jti), /^[\w.-]{36,}$/);
    const named = { iss: baseUrl, sub: id, client_id: id, aud: surroundings().audience };
    assert.deepEqual(rest, { ...named, exp: iat + ttlSeconds, ...(scope === undefined ? {} : { scope }) });
    const { alg, typ, kid, ...more } = decodeProtectedHeader(token);
    assert.deepEqual([alg, typ, typeof kid, more], ['RS256', 'at+jwt', 'string', {}]);
  };

  it('[C89] credentials in the body or in HTTP Basic get a token with exactly the claims of RFC 9068', async () => {
    await assertClaims(granted(await post(inBody(plain)), undefined, 'body'), plain);
    await assertClaims(granted(await post(grant, basic(plain)), undefined, 'Basic'), plain);
    const all = 'read write admin:all';
    await assertClaims(granted(await post(inBody(scoped)), all, 'body, with scopes'), scoped, all);
    await assertClaims(granted(await post(grant, basic(scoped)), all, 'Basic, with scopes'), scoped, all);
  });

  it('[C89] the token opens /me with the granted scopes', async () => {
    const token = granted(await post({ ...inBody(scoped), scope: 'write' }), 'write', 'one scope');
    const { status, json } = await withToken(`${running().service.url}${me}`, token);
    const { kind, subject, scopes } = json();
    assert.deepEqual([status, kind, subject, scopes], [200, 'client', scoped.id, ['write']]);
  });

  it('[C89] the answer contains no client secret and no CORS header', async () => {
    for (const reply of [await post(inBody(scoped)), await post(grant, basic(scoped))]) {
      const { text, headers } = reply;
      for (const { secret } of [scoped, plain])
        assert.ok(!`${text}${[...headers].join()}`.includes(secret), text);
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
  });

  it('a requested subset of scopes is granted, and all scopes without a request', async () => {
    for (const [asked, given] of [
      ['read', 'read'],
      ['admin:all', 'admin:all'],
      ['write read', 'write read'],
      ['read read', 'read'],
      ['read write admin:all', 'read write admin:all'],
      ['', 'read write admin:all'],
    ] as const) {
      const token = granted(await post({ ...inBody(scoped), scope: asked }), given, asked);
      await assertClaims(token, scoped, given);
    }
    granted(await post({ ...inBody(plain), scope: '' }), undefined, 'none to be had');
  });

  it('[C95] id and secret of HTTP Basic may be percent-encoded (RFC 6749, appendix B)', async () => {
    const { id, secret } = scoped;
    const capitals = (text: string) => percentEncoded(text).toUpperCase();
    const encoded = (text: string) => encodeForm([['', text]]).slice(1);
    for (const encode of [percentEncoded, capitals, encoded])
      for (const halves of [
        `${encode(id)}:${encode(secret)}`,
        `${encode(id)}:${secret}`,
        `${id}:${encode(secret)}`,
      ])
        granted(await post(grant, rawBasic(halves)), 'read write admin:all', halves);
  });

  it('[C95] every character of a form may be percent-encoded, names included', async () => {
    const fields = Object.entries(inBody(plain)).map((pair) => pair.map(percentEncoded).join('='));
    granted(await post(fields.join('&')), undefined, 'percent-encoded');
  });

  it('[C95] the scheme Basic is case-insensitive and may be followed by several spaces', async () => {
    const { authorization } = basic(plain);
    for (const scheme of ['basic ', 'BASIC ', 'bAsIc ', 'Basic   ']) {
      const reply = await post(grant, { authorization: authorization.replace('Basic ', scheme) });
      granted(reply, undefined, scheme);
    }
  });

  it('[C95] the same client_id in the body beside HTTP Basic is accepted', async () => {
    granted(await post({ ...grant, client_id: plain.id }, basic(plain)), undefined, 'the same id');
  });

  it('an empty field counts as missing, and an unknown field is ignored', async () => {
    const empty = { client_secret: '', client_assertion: '', client_assertion_type: '', client_id: '' };
    granted(await post({ ...grant, ...empty }, basic(plain)), undefined, 'empty beside Basic');
    for (const more of [{ client_assertion: '', x: '' }, { resource: 'https://x.example' }])
      granted(await post({ ...inBody(plain), ...more }), undefined, Object.keys(more).join());
    granted(await post(`&${encodeForm(inBody(plain))}&&`), undefined, 'separators with nothing between');
  });

  it('[C92] the form content type may have a charset and is case-insensitive', async () => {
    for (const type of [
      `${formType};charset=UTF-8`,
      `${formType}; charset=utf-8`,
      `${formType} ; charset="utf-8"`,
      'Application/X-WWW-Form-Urlencoded',
    ])
      granted(await post(inBody(plain), { 'content-type': type }), undefined, type);
  });

  it('[C105] claims requested in the body are ignored', async () => {
    const wishes = {
      aud: 'https://other.example',
      audience: 'https://other.example',
      sub: 'root',
      iss: 'https://evil.example',
      exp: '9999999999',
      expires_in: '9999999999',
      jti: 'chosen',
      typ: 'JWT',
      admin: 'true',
    };
    const token = granted(await post({ ...inBody(plain), ...wishes }), undefined, 'in the body');
    await assertClaims(token, plain);
    await assertClaims(granted(await post({ ...grant, ...wishes }, basic(plain)), undefined, 'Basic'), plain);
  });

  it('JSON always gets exactly two members and a token with all scopes of the client', async () => {
    const wishes = { scope: 'read', grant_type: 'password', client_assertion: 'x' };
    for (const more of [{}, wishes, { scope: 'unknown' }, { scope: '"' }]) {
      const reply = await postToken(running().service.url, credentialsBody(scoped, more));
      assert.equal(reply.status, 200, reply.text);
      const { token, ...rest } = reply.json<{ token: string }>();
      assert.deepEqual(rest, { token_type: 'Bearer' });
      await assertClaims(token, scoped, 'read write admin:all');
    }
  });

  it('a bearer token beside JSON credentials is ignored', async () => {
    const authorization = `Bearer ${granted(await post(inBody(plain)), undefined, 'a token')}`;
    const headers = { 'content-type': 'application/json', authorization };
    const body = credentialsBody(plain);
    const reply = await request(`${running().service.url}/token`, { method: 'POST', headers, body });
    assert.equal(reply.status, 200, reply.text);
  });
});
