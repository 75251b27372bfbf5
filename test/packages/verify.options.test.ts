import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Hono } from 'hono';
import { protect as onExpress } from '../../packages/verify/src/express.ts';
import { protect as onFastify } from '../../packages/verify/src/fastify.ts';
import { protect as onHono } from '../../packages/verify/src/hono.ts';
import { createVerifier, type Verifier, type VerifierOptions } from '../../packages/verify/src/index.ts';
import { protect as onKoa } from '../../packages/verify/src/koa.ts';
import { protect as onNode } from '../../packages/verify/src/node.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { discoveredProvider, type Misbehaviour } from '../support/tokens/discovered-provider.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const open: Verifier[] = [];
const provider = await TestProvider.start();
after(async () => {
  for (const verifier of open) verifier.close();
  await provider.stop();
});

function start(options: object): Verifier {
  const verifier = createVerifier(options as VerifierOptions);
  open.push(verifier);
  return verifier;
}
const good = () => ({
  issuer: provider.origin,
  audience: surroundings().audience,
  jwksUrl: `${provider.origin}/jwks`,
});
const ask = async (verifier: Verifier, claims: object, scopes?: readonly string[]) => {
  const headers = { authorization: `Bearer ${await provider.token({ ...claims })}` };
  return verifier.verify({ headers }, scopes === undefined ? {} : { scopes });
};

it('createVerifier on an outdated Node.js throws with the version it needs', () => {
  // Node.js before 22 has no Promise.withResolvers.
  const { withResolvers } = Promise;
  Promise.withResolvers = undefined as never;
  try {
    assert.throws(() => start(good()), /needs Node\.js 24 or newer, and this is v\d+/);
  } finally {
    Promise.withResolvers = withResolvers;
  }
});

it('createVerifier on Cloudflare Workers throws with the runtimes that it needs', () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};
  const navigator = { userAgent: 'Cloudflare-Workers' };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  try {
    assert.throws(() => start(good()), /does not run on Cloudflare Workers.* Node\.js, Bun or Deno/);
  } finally {
    Object.defineProperty(globalThis, 'navigator', own);
  }
});

describe('the options of createVerifier', () => {
  const wrong: Record<string, [options: object, message: RegExp]> = {
    nothing: [
      {},
      /- issuer: expected .*; found nothing\.\n- audience: expected .* or null .*; found nothing/,
    ],
    'no audience': [{ issuer: 'https://a.example' }, /- audience: .*found nothing/],
    'an audience that is undefined': [{ ...good(), audience: undefined }, /- audience/],
    'an empty audience': [{ ...good(), audience: '' }, /- audience.*found ""/],
    'an empty list of audiences': [{ ...good(), audience: [] }, /- audience.*found \[\]/],
    'an issuer in plain http': [{ issuer: 'http://a.example', audience: 'a' }, /- issuer/],
    'keys in plain http': [{ ...good(), jwksUrl: 'http://a.example/jwks' }, /- jwksUrl/],
    'keys in a file': [{ ...good(), jwksUrl: 'file:///etc/passwd' }, /- jwksUrl/],
    'a shared secret': [{ ...good(), algorithms: ['HS256'] }, /- algorithms.*found \["HS256"\]/],
    'no signature': [{ ...good(), algorithms: ['none'] }, /- algorithms/],
    'no algorithm': [{ ...good(), algorithms: [] }, /- algorithms/],
    'another status': [{ ...good(), challengeStatus: 200 }, /- challengeStatus: expected 401 or 403/],
    'a realm with a quote': [{ ...good(), realm: 'a"b' }, /- realm/],
    'a short secret': [{ ...good(), memorySecret: 'short' }, /- memorySecret.*found something else/],
    'a misspelt option': [{ ...good(), requireATJwt: true }, /- requireATJwt: there is no such option/],
  };
  for (const [name, [options, message]] of Object.entries(wrong)) {
    it(`refuses ${name}`, () => {
      assert.throws(() => start(options), { name: 'TypeError', message });
    });
  }

  it('audience: null accepts any audience; a list accepts any of its entries', async () => {
    const anybody = start({ ...good(), audience: null });
    const several = start({ ...good(), audience: ['https://one.example', 'https://two.example'] });
    for (const aud of ['https://other.example', ['x', 'y']]) assert.ok((await ask(anybody, { aud })).ok);
    const verdict = await ask(several, { aud: ['x', 'https://two.example'] });
    assert.equal(verdict.ok && verdict.caller.audience, 'https://two.example');
    assert.equal((await ask(several, { aud: 'https://three.example' })).ok, false);
  });

  it('challengeStatus 401 answers 401, except for missing scopes (403)', async () => {
    const verifier = start({ ...good(), challengeStatus: 401 });
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: 'Bearer a b' }]) {
      const verdict = await verifier.verify({ headers });
      assert.ok(!verdict.ok);
      assert.equal(verdict.status, 401);
      assert.equal(JSON.parse(verdict.body).status, 401);
      assert.match(String(verdict.headers['www-authenticate']), /^Bearer realm="api"/);
    }
    const verdict = await ask(verifier, {}, ['admin']);
    assert.ok(!verdict.ok);
    assert.deepEqual([verdict.status, verdict.code], [403, 'insufficient_scope']);
    assert.match(String(verdict.headers['www-authenticate']), /scope="admin"/);
    assert.ok((await ask(verifier, { scope: 'a admin' }, ['admin'])).ok);
  });
});

describe('the requirements given to protect() and verify()', () => {
  const adapters = { express: onExpress, fastify: onFastify, hono: onHono, koa: onKoa };
  const misspelt = [
    { scope: ['admin'] },
    { requiredScopes: ['admin'] },
    ['admin'],
    { scopes: undefined },
    'admin',
    null,
  ];
  for (const needs of misspelt as never[])
    it(`${JSON.stringify(needs)} throws a TypeError before a request is accepted`, async () => {
      const verifier = start(good());
      for (const protect of Object.values(adapters))
        assert.throws(() => protect(verifier, needs), /^TypeError: Expected what the address needs/);
      assert.throws(() => onNode(verifier, () => {}, needs), TypeError);
      const headers = { authorization: `Bearer ${await provider.token()}` };
      await assert.rejects(verifier.verify({ headers }, needs), TypeError);
    });
});

describe('a token where something else belongs', () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.${'e30'.repeat(40)}.signature`;
  const isSafe = (message: RegExp) => (error: Error) =>
    error instanceof TypeError && message.test(error.message) && !String(error.stack).includes(token);

  for (const request of [token, undefined, null, 7, {}, { headers: token }, { authorization: token }])
    it(`verify() and check() throw for ${JSON.stringify(request)?.slice(0, 20)} instead of a request`, async () => {
      const verifier = start(good());
      assert.throws(() => verifier.check(request as never), isSafe(/^Expected a request: .*; found /));
      await assert.rejects(verifier.verify(request as never), isSafe(/^Expected a request: .*; found /));
    });

  it('verify() does not show it if it is given for the scopes', async () => {
    const needs = isSafe(/^Expected what the address needs .*; found /);
    for (const given of [token, [token], { token }])
      await assert.rejects(start(good()).verify({ headers: {} }, given as never), needs);
  });

  it('createVerifier does not show it if it is given for the options', () => {
    assert.throws(() => start(token as never), isSafe(/^createVerifier expects an object with options/));
  });
});

describe('the environment of the verifier', () => {
  it('a forged token is refused even if the global Promise is replaced', async () => {
    const verifier = start(good());
    await verifier.ready();
    const token = await provider.token();
    const forged = `${token.slice(0, token.lastIndexOf('.'))}.AAAA`;
    const own = globalThis.Promise;
    globalThis.Promise = class extends own<unknown> {} as PromiseConstructor;
    try {
      const verdict = await verifier.check({ headers: { authorization: `Bearer ${forged}` } });
      assert.equal(verdict.ok, false);
    } finally {
      globalThis.Promise = own;
    }
  });

  it('a late refusal is not written if the response has been sent', async () => {
    const verifier = start(good());
    const request = { rawHeaders: [] as string[] };
    const verdict = verifier.check(request);
    const late = { check: () => Promise.resolve(verdict) };
    const writeHead = () => assert.fail('the answer is out');
    onExpress(late)(request, { headersSent: true, writeHead }, () => assert.fail('it was refused'));
    await Promise.resolve(verdict);
  });

  it('an inner Hono application judges its own request, not the outer one', async () => {
    const inside = new Hono().use(onHono(start(good()))).get('/', (context) => context.text('inside'));
    const outside = { incoming: { rawHeaders: ['authorization', `Bearer ${await provider.token()}`] } };
    assert.equal((await inside.fetch(new Request('http://a.example/'), outside)).status, 403);
  });

  it('duplicate Authorization headers are refused, also behind Fastify and Koa wrappers', async () => {
    const verifier = start(good());
    const bearer = `Bearer ${await provider.token()}`;
    const rawHeaders = ['authorization', bearer, 'authorization', bearer];
    for (const inner of [{ raw: { rawHeaders } }, { req: { rawHeaders } }])
      assert.equal((await verifier.verify({ headers: { authorization: bearer }, ...inner })).ok, false);
  });
});

describe('the input and the verdict of verify()', () => {
  it('a Fetch request is accepted, and a refusal converts to a Fetch response', async () => {
    const verifier = start(good());
    const token = await provider.token();
    const request = (headers: Record<string, string> | [string, string][]) =>
      new Request('https://api.example/', { headers });
    assert.ok((await verifier.verify(request({ authorization: `Bearer ${token}` }))).ok);
    const twice = [
      ['authorization', `Bearer ${token}`],
      ['authorization', `Bearer ${token}`],
    ] as [string, string][];
    const verdict = await verifier.verify(request(twice));
    assert.ok(!verdict.ok);
    const response = verdict.toResponse();
    assert.equal(response.status, 403);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(((await response.json()) as { code: string }).code, 'authorization_malformed');
  });

  it('header names are case-insensitive, and duplicate headers are refused', async () => {
    const verifier = start(good());
    const bearer = `Bearer ${await provider.token()}`;
    const verdict = async (headers: Record<string, string | string[]>) =>
      (await verifier.verify({ headers })).ok;
    assert.equal(await verdict({ Authorization: bearer }), true);
    assert.equal(await verdict({ AUTHORIZATION: [bearer] }), true);
    assert.equal(await verdict({ Authorization: bearer, authorization: bearer }), false);
    assert.equal(await verdict({ authorization: [bearer, bearer] }), false);
  });

  it('the caller has all claims, deeply frozen', async () => {
    const verdict = await ask(start(good()), { roles: [{ name: 'editor' }], sub: 'ada', client_id: 'web' });
    assert.ok(verdict.ok);
    const { subject, kind, claims, scopes, times } = verdict.caller;
    assert.deepEqual([subject, kind, scopes], ['ada', 'user', ['read', 'write']]);
    assert.deepEqual(claims.roles, [{ name: 'editor' }]);
    assert.equal(times.expiresAtSeconds, claims.exp);
    const inner = (claims.roles as object[])[0];
    for (const value of [verdict.caller, claims, claims.roles, inner, scopes, times])
      assert.ok(Object.isFrozen(value));
  });
});

describe('keys found by discovery', () => {
  const readyWith = async (wrong: Misbehaviour, realm = '') => {
    const discovered = await discoveredProvider({ ...wrong, realm });
    const verifier = start({ issuer: `${discovered.origin}${realm}`, audience: 'a' });
    return verifier.ready().finally(() => {
      verifier.close();
      discovered.stop();
    });
  };

  it('[B86] metadata is found, also below the path of the issuer', async () => {
    await readyWith({});
    await readyWith({}, '/realms/main');
  });

  const misled: Record<string, [Misbehaviour['discovery'], RegExp]> = {
    'another issuer': [() => ({ issuer: 'https://evil.example' }), /does not state the issuer/],
    'the issuer with a slash': [(origin) => ({ issuer: `${origin}/` }), /does not state the issuer/],
    'no issuer': [() => ({ issuer: undefined }), /does not state the issuer/],
    'no keys': [() => ({ jwks_uri: undefined }), /no "jwks_uri"/],
    'keys in a file': [() => ({ jwks_uri: 'file:///etc/passwd' }), /no "jwks_uri"/],
    'keys in plain http': [() => ({ jwks_uri: 'http://keys.example/jwks' }), /no "jwks_uri"/],
    'keys on another host': [() => ({ jwks_uri: 'https://keys.example/jwks' }), /another host.*"jwksUrl"/],
    nothing: [null, /status/],
  };
  for (const [name, [discovery, message]] of Object.entries(misled)) {
    it(`[B86] keys are not fetched if the metadata names ${name}`, async () => {
      await assert.rejects(readyWith({ discovery: discovery ?? null }), message);
    });
  }
});
