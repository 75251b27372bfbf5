import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { importsOf } from '../rules/import-rules.ts';
import { type DocumentServer, serveDocuments } from '../support/http/document-server.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const run = promisify(execFile);
const readme = readFileSync('packages/verify/README.md', 'utf8');
const { folder } = await part('installed');
const installed = `${folder}/node_modules/@vestibule/verify`;

describe('the package @vestibule/verify', () => {
  it('imports only Node built-ins and has no dependencies', () => {
    const files = globSync(`${installed}/lib/**/*.{js,d.ts}`);
    assert.ok(files.length > 40);
    const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
    const foreign = imports.filter(({ specifier }) => !/^(\.|node:)/.test(specifier));
    assert.deepEqual(foreign, []);
    const { dependencies, peerDependencies, version } = JSON.parse(
      readFileSync(`${installed}/package.json`, 'utf8'),
    );
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
    assert.equal(version, JSON.parse(readFileSync('package.json', 'utf8')).version);
  });

  it('contains only compiled code, types, the README and the licence', () => {
    const inside = globSync('**/*', { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(installed.length + 1));
    const stray = inside.filter(
      (file) => !/^lib\/(src\/(auth|base)|packages\/verify\/src)\/[a-z-]+\.(js|d\.ts)$/.test(file),
    );
    assert.deepEqual(stray.sort(), ['LICENSE', 'README.md', 'package.json']);
  });

  it('the README names every refusal code and every option', () => {
    const codes = readFileSync('packages/verify/src/verdict.ts', 'utf8').matchAll(/^ {2}\| '([a-z_]+)'/gm);
    const options = readFileSync('packages/verify/src/options.ts', 'utf8')
      .replace(/^[\s\S]*interface VerifierOptions/, '')
      .matchAll(/^ {2}readonly (\w+)\??:/gm);
    for (const [, name = ''] of [...codes, ...options]) assert.ok(readme.includes(`\`${name}\``), name);
  });
});

/** Programs of users, each in a file of its own: the first half must compile, the second must not. */
const begin = `import { createVerifier } from '@vestibule/verify';
const verifier = createVerifier({ issuer: 'https://a.example', audience: 'a' });\n`;
const right: Record<string, string> = {
  options: `import { createVerifier, keySetFile } from '@vestibule/verify';
createVerifier({ issuer: 'https://a.example', audience: null, algorithms: ['ES256', 'EdDSA'], memory: keySetFile('x'), challengeStatus: 401 });
createVerifier({ issuer: 'https://a.example', audience: ['a', 'b'] as const });`,
  verdict: `${begin}const verdict = await verifier.verify(new Request('https://a.example'));
const text: string | null = verdict.ok ? verdict.caller.subject : verdict.code;
const response: Response | null = verdict.ok ? null : verdict.toResponse();
export { text, response };`,
  lambda: `${begin}await verifier.verify({ headers: { Authorization: 'x' } }, { scopes: ['a'] });`,
  node: `${begin}import { createServer } from 'node:http';
import { protect } from '@vestibule/verify/node';
createServer(protect(verifier, (request, response, caller) => response.end(request.url + String(caller.subject))));`,
  express: `${begin}import express from 'express';
import { callerOf, protect } from '@vestibule/verify/express';
express().get('/', protect(verifier, { scopes: ['a'] }), (request, response) => {
  response.json(callerOf(request).scopes.map((scope) => scope.length));
});
express().use(protect(verifier));`,
  fastify: `${begin}import Fastify from 'fastify';
import { callerOf, protect } from '@vestibule/verify/fastify';
const app = Fastify();
app.addHook('onRequest', protect(verifier));
app.get('/', { onRequest: protect(verifier) }, async (request) => callerOf(request).claims.email);`,
  hono: `${begin}import { Hono } from 'hono';
import { callerOf, protect } from '@vestibule/verify/hono';
const app = new Hono();
app.use(protect(verifier));
app.get('/x', protect(verifier), (context) => context.json(callerOf(context).subject));`,
  koa: `${begin}import Koa from 'koa';
import { callerOf, protect } from '@vestibule/verify/koa';
const app = new Koa();
app.use(protect(verifier));
app.use((context) => { context.body = callerOf(context).kind; });`,
};
const create = (options: string) =>
  `import { createVerifier } from '@vestibule/verify'; createVerifier(${options});`;
const wrong: Record<string, string> = {
  'no-audience': create(`{ issuer: 'https://a.example' }`),
  'undefined-audience': create(`{ issuer: 'https://a.example', audience: undefined }`),
  'no-issuer': create(`{ audience: 'a' }`),
  'shared-secret': create(`{ issuer: 'https://a.example', audience: 'a', algorithms: ['HS256'] }`),
  'no-signature': create(`{ issuer: 'https://a.example', audience: 'a', algorithms: ['none'] }`),
  misspelt: create(`{ issuer: 'https://a.example', audience: 'a', requireATJwt: true }`),
  'other-status': create(`{ issuer: 'https://a.example', audience: 'a', challengeStatus: 200 }`),
  'caller-unasked': `${begin}(await verifier.verify(new Request('https://a.example'))).caller;`,
  'not-awaited': `${begin}verifier.verify(new Request('https://a.example')).ok;`,
  'text-for-request': `${begin}await verifier.verify('Bearer x');`,
  'changed-caller': `${begin}const verdict = await verifier.verify({ headers: {} }); if (verdict.ok) verdict.caller.subject = 'x';`,
  'subject-is-there': `${begin}const verdict = await verifier.verify({ headers: {} }); if (verdict.ok) verdict.caller.subject.length;`,
  'unknown-code': `${begin}const verdict = await verifier.verify({ headers: {} }); if (!verdict.ok) verdict.code === 'token_is_bad';`,
};

it('correct programs compile, and each wrong one does not', async () => {
  const programs = { right, wrong };
  for (const [kind, files] of Object.entries(programs)) {
    mkdirSync(`${folder}/types/${kind}`, { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(`${folder}/types/${kind}/${name}.ts`, `${text}\nexport {};\n`);
  }
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    types: ['node'],
    preserveSymlinks: false,
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['types'] }));
  const { stdout } = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder], {
    cwd: folder,
  }).catch((error) => error);
  const failed = new Set([...String(stdout).matchAll(/^types\/(\S+)\.ts\(/gm)].map(([, file]) => file));
  const expected = Object.keys(wrong).map((name) => `wrong/${name}`);
  assert.deepEqual([...failed].sort(), expected.sort(), stdout);
});

describe('the examples of the README of @vestibule/verify, exactly as printed', () => {
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text]) => String(text));
  let provider: TestProvider;
  let metadata: DocumentServer;
  before(async () => {
    provider = await TestProvider.start();
    const issuer = 'https://login.example.org';
    metadata = await serveDocuments(() => ({
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': provider.document,
    }));
    // Redirects the hosts of the examples to this machine, without changing their text.
    writeFileSync(
      `${folder}/elsewhere.js`,
      `import { Server } from 'node:net';
const { fetch } = globalThis;
globalThis.fetch = (url, init) => fetch(String(url).replace('https://login.example.org', process.env.PROVIDER), init);
const { listen } = Server.prototype;
Server.prototype.listen = function (first, ...rest) {
  const port = Number(process.env.PORT_8000);
  return listen.call(this, first === 8000 ? port : first?.port === 8000 ? { ...first, port } : first, ...rest);
};\n`,
    );
  });
  after(async () => {
    metadata.stop();
    await provider.stop();
  });
  const token = () =>
    provider.token({ iss: 'https://login.example.org', aud: 'https://api.example.org', sub: 'ada' });
  const start = async (text: string, name: string, port: number, more: Record<string, string> = {}) => {
    writeFileSync(`${folder}/${name}.js`, text);
    const environment = { PROVIDER: metadata.origin, PORT_8000: String(port) };
    return spawn(process.execPath, ['--import', './elsewhere.js', `${name}.js`], {
      cwd: folder,
      env: { ...process.env, ...environment, ...more },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  };

  it('there is one for every framework', () => {
    for (const name of ['express', 'fastify', 'hono', 'koa', 'node'])
      assert.match(examples.join('\n'), new RegExp(`@vestibule/verify/${name}\\b`));
    assert.equal(examples.length, 7);
  });

  for (const [index, text] of examples.entries()) {
    const name = /@vestibule\/verify\/(\w+)/.exec(text)?.[1];
    if (name === undefined) continue;
    it(`the ${name} example refuses a missing token and accepts a valid one`, async () => {
      const port = await freePort();
      const child = await start(text, `example-${index}`, port);
      try {
        const ask = async (headers: Record<string, string>) => {
          const response = await fetch(`http://127.0.0.1:${port}/me`, { headers }).catch(() => null);
          return response && { status: response.status, body: await response.text() };
        };
        const none = await until(() => ask({}), Boolean, 'it does not listen');
        assert.equal(none?.status, 403);
        assert.equal(JSON.parse(String(none?.body)).code, 'token_missing');
        const reply = await ask({ authorization: `Bearer ${await token()}` });
        assert.deepEqual([reply?.status, JSON.parse(String(reply?.body))], [200, { subject: 'ada' }]);
      } finally {
        child.kill();
      }
    });
  }

  it('the key file example writes the keys and lets the process exit', async () => {
    const text = examples.find((one) => one.includes('keySetFile')) ?? '';
    const child = await start(text, 'example-file', 1);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.ok(existsSync(`${folder}/keys/login.json`));
  });

  it('the Fetch example answers a Fetch request', async () => {
    const text = examples.find((one) => one.includes('toResponse')) ?? '';
    writeFileSync(`${folder}/example-fetch.js`, text);
    const asked = `import { handle } from './example-fetch.js';
import assert from 'node:assert/strict';
const address = 'https://api.example.org/me';
assert.equal((await handle(new Request(address))).status, 403);
const response = await handle(new Request(address, { headers: { authorization: process.env.AUTHORIZATION } }));
assert.deepEqual(await response.json(), { subject: 'ada' });\n`;
    const authorization = { AUTHORIZATION: `Bearer ${await token()}` };
    const child = await start(asked, 'example-fetch-asked', 1, authorization);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
