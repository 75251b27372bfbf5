import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { newDirectory } from '../support/commands/outcome.ts';
import { deployment } from '../support/services/deployment.ts';
import { newSettings, startService } from '../support/services/service.ts';

const web = {
  WEB: 'on',
  WEB_CLIENT_ID: 'vestibule-web',
  WEB_SCOPES: 'offline_access',
  IDP_REQUIRED_SCOPES: 'consumer',
};

// Uses plain fetch: support/request checks answers against the OpenAPI document, which leaves the page out.
describe('frontend with WEB=on', () => {
  const running = deployment({ settings: web });
  const get = (path: string, init: RequestInit = {}) => fetch(`${running().service.url}${path}`, init);

  it('GET / is an uncached HTML page with isolation headers', async () => {
    const reply = await get('/');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(reply.headers.get('cross-origin-opener-policy'), 'same-origin');
  });

  it('the page may load only its own files, and connect to itself and the provider', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    const provider = running().provider.settings.IDP_ORIGIN;
    assert.deepEqual(policy.split('; '), [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", `connect-src 'self' ${provider}`],
      `img-src 'self' ${provider} https://cdn.auth0.com https://s.gravatar.com https://lh3.googleusercontent.com https://avatars.githubusercontent.com`,
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
    ]);
  });

  it('the page has no inline script or style and names only files of this service', async () => {
    const page = await (await get('/')).text();
    assert.doesNotMatch(page, /<style|<script(?![^>]*\ssrc=)|\son\w+=|javascript:/i);
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name ?? '');
    assert.ok(named.length >= 3);
    for (const name of named)
      assert.match(name, /^\/web\/[a-z]+-(?:[0-9a-f]{12}|[A-Z0-9]{8})\.(js|css|svg)$/);
  });

  it('the files of the page have the right type and are cached as immutable', async () => {
    const page = await (await get('/')).text();
    const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
    for (const [, name = '', kind = ''] of page.matchAll(/"(\/web\/[^"]+\.(\w+))"/g)) {
      const reply = await get(name);
      assert.equal(reply.status, 200, name);
      assert.ok(reply.headers.get('content-type')?.startsWith(types[kind as keyof typeof types]), name);
      assert.equal(reply.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.ok((await reply.text()).length > 100, name);
    }
  });

  it('GET /web/config.json has provider, client id and scopes for the sign-in', async () => {
    const reply = await get('/web/config.json');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await reply.json(), {
      providers: [
        {
          name: 'provider',
          title: new URL(String(running().provider.settings.IDP_ORIGIN)).host,
          issuer: running().provider.settings.IDP_ORIGIN,
          client_id: 'vestibule-web',
          audience: running().service.settings.API_AUDIENCE,
          scopes: ['openid', 'profile', 'consumer', 'offline_access'],
        },
      ],
      dpop: false,
      api: '/api/consumer/v1',
      brand: { title: 'Vestibule' },
    });
  });

  it('files that are not part of the build get 404', async () => {
    const files = ['/web', '/web/', '/web/index.html', '/web/app.js', '/web/..%2fpackage.json'];
    for (const path of [...files, '/index.html']) {
      const reply = await get(path);
      assert.equal(reply.status, 404, path);
      assert.equal(reply.headers.get('content-type'), 'application/problem+json', path);
    }
  });

  it('other methods get 405', async () => {
    for (const path of ['/', '/web/config.json']) {
      const reply = await get(path, { method: 'POST' });
      assert.equal(reply.status, 405, path);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD');
    }
  });
});

describe('frontend with BRAND_FILE', () => {
  const folder = newDirectory();
  const logo = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  writeFileSync(`${folder}/logo.svg`, logo);
  writeFileSync(
    `${folder}/brand.json`,
    JSON.stringify({
      title: 'Fish & <Chips>',
      accent: { light: '#7a1f5c', dark: '#f2b8dd' },
      logo: 'logo.svg',
      imprint: 'https://example.org/imprint',
    }),
  );
  const running = deployment({ settings: { ...web, BRAND_FILE: `${folder}/brand.json` } });
  const get = (path: string) => fetch(`${running().service.url}${path}`);

  it('GET /web/config.json has title, logo and links', async () => {
    const { brand } = (await (await get('/web/config.json')).json()) as { brand: object };
    assert.deepEqual(brand, {
      title: 'Fish & <Chips>',
      logo: '/web/logo.svg',
      imprint: 'https://example.org/imprint',
    });
  });

  it('the page has its title, icon and colours, and nothing else of ours that people see', async () => {
    const page = await (await get('/')).text();
    assert.ok(page.includes('<title>Fish &amp; &lt;Chips></title>'), page);
    assert.doesNotMatch(page, /Vestibule/);
    assert.match(page, /rel="icon" href="\/web\/logo\.svg"/);
    assert.match(page, /content="#7a1f5c" media="\(prefers-color-scheme: light\)"/);
    assert.match(page, /content="#f2b8dd" media="\(prefers-color-scheme: dark\)"/);
  });

  it('GET /web/brand.css comes after the style of the page, for both schemes', async () => {
    const page = await (await get('/')).text();
    assert.match(page, /href="\/web\/style-\w+\.css">\s*<link rel="stylesheet" href="\/web\/brand\.css">/);
    const reply = await get('/web/brand.css');
    assert.equal(reply.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    const [light, dark] = (await reply.text()).split('@media (prefers-color-scheme: dark)');
    assert.match(light ?? '', /--accent: #7a1f5c; --on-accent: #ffffff/);
    assert.match(dark ?? '', /--accent: #f2b8dd; --on-accent: #000000/);
  });

  it('GET /web/logo.svg is an image that can run nothing, even if it is opened itself', async () => {
    const reply = await get('/web/logo.svg');
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.match(String(reply.headers.get('content-security-policy')), /^default-src 'none'/);
    assert.equal(await reply.text(), logo);
  });
});

describe('frontend with DPOP=page', () => {
  const running = deployment({ settings: { ...web, DPOP: 'page, nonce' } });

  it('GET /web/config.json enables DPoP and carries the nonce for the first proof', async () => {
    const { service } = running();
    const reply = await fetch(`${service.url}/web/config.json`);
    assert.equal(((await reply.json()) as { dpop: boolean }).dpop, true);
    const refused = await fetch(`${service.url}/api/consumer/v1/me`);
    assert.match(String(reply.headers.get('dpop-nonce')), /^[\w-]{22}$/);
    assert.equal(reply.headers.get('dpop-nonce'), refused.headers.get('dpop-nonce'));
    assert.equal((await fetch(service.url)).headers.get('dpop-nonce'), null);
  });
});

describe('frontend with DPOP=required', () => {
  const running = deployment({ settings: { ...web, DPOP: 'required' } });

  it('GET /web/config.json enables DPoP', async () => {
    const reply = await fetch(`${running().service.url}/web/config.json`);
    assert.equal(((await reply.json()) as { dpop: boolean }).dpop, true);
  });
});

describe('frontend with several providers', () => {
  it('offers the providers with a web client in file order, and allows connections to those only', async (t) => {
    const file = `${newDirectory()}/providers.yaml`;
    writeFileSync(
      file,
      `- { name: school, title: Harbour School, origin: "http://127.0.0.1:9", web_client_id: web }
- { name: programs, origin: "https://programs.example.org" }
- { name: library, title: City Library, origin: "http://127.0.0.2:9", web_client_id: reader }
`,
    );
    const service = await startService(await newSettings('sqlite', { WEB: 'on', IDPS_FILE: file }));
    t.after(() => service.stop());
    const { providers } = (await (await fetch(`${service.url}/web/config.json`)).json()) as {
      providers: { title: string; issuer: string; client_id: string }[];
    };
    assert.deepEqual(
      providers.map(({ title, issuer, client_id: client }) => [title, issuer, client]),
      [
        ['Harbour School', 'http://127.0.0.1:9', 'web'],
        ['City Library', 'http://127.0.0.2:9', 'reader'],
      ],
    );
    const policy = (await fetch(service.url)).headers.get('content-security-policy') ?? '';
    assert.ok(
      policy.split('; ').includes("connect-src 'self' http://127.0.0.1:9 http://127.0.0.2:9"),
      policy,
    );
  });
});

describe('frontend with WEB not set', () => {
  const running = deployment();

  it('the page and its configuration answer 404', async () => {
    for (const path of ['/', '/web/config.json']) {
      const reply = await fetch(`${running().service.url}${path}`);
      assert.equal(reply.status, 404, path);
    }
  });
});
