import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { canaryClaims, canaryHeaders } from '../support/faults/canaries.ts';
import { provokeRefusals } from '../support/faults/personal-requests.ts';
import { canaryNeedles } from '../support/faults/traces.ts';
import { send, withToken } from '../support/http/request.ts';
import { part } from '../support/run/surroundings.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, runVestibule, type Service } from '../support/services/service.ts';

const script = '</script><img src=x onerror=alert(1)>';
const token = 'operator-token-of-at-least-32-characters';
const guess = 'a-wrong-token-of-at-least-32-characters!';

/** Everything that the console serves. */
async function pathsOf(base: string): Promise<readonly string[]> {
  const { text } = await send(base);
  const files = [...text.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, file]) => `/${file}`);
  assert.ok(files.length >= 2, text);
  return ['/', ...files, '/console/data', '/console/consumers/usr_nobody'];
}

/** A request with another Host, which `send` would not send. */
function statusWithHost(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { agent: false, headers: { host } }, (response) => {
      response.resume();
      resolve(Number(response.statusCode));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the console on loopback', () => {
  const running = deployment({
    settings: { CORS_ORIGINS: 'https://www.example.org' },
    prepare: async () => {
      await part('frontend');
    },
  });

  it('cannot be read by a page of another origin: no CORS, framing, foreign content or inline script', async () => {
    const { opsUrl } = running().service;
    for (const path of await pathsOf(opsUrl)) {
      const { headers } = await send(opsUrl + path, { headers: { origin: 'https://www.example.org' } });
      const cors = [...headers.keys()].filter((name) => name.startsWith('access-control'));
      assert.deepEqual(cors, []);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|data:|\*/);
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const page = await send(opsUrl);
    assert.doesNotMatch(page.text, /<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|https?:\/\/(?!www\.w3\.org)/);
    const preflight = await send(`${opsUrl}/console/data`, {
      method: 'OPTIONS',
      headers: { origin: 'https://www.example.org', 'access-control-request-method': 'GET' },
    });
    assert.equal(preflight.status, 405);
  });

  it('answers only a loopback Host (DNS rebinding); health and metrics answer any Host', async () => {
    const { opsUrl } = running().service;
    const { port } = new URL(opsUrl);
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '[::1]'])
      assert.equal(await statusWithHost(`${opsUrl}/console/data`, `${host}:${port}`), 200, host);
    const foreign = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '192.168.0.1', '0'];
    for (const host of [...foreign, 'localhost:1@evil.example', '[::1].evil.example'])
      for (const path of await pathsOf(opsUrl))
        assert.equal(await statusWithHost(opsUrl + path, `${host}:${port}`), 403, `${host} ${path}`);
    for (const path of ['/livez', '/readyz', '/metrics'])
      assert.equal(await statusWithHost(opsUrl + path, 'probe.internal'), 200, path);
  });

  it('allows only GET and HEAD', async () => {
    const { opsUrl } = running().service;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of await pathsOf(opsUrl))
        assert.equal((await send(opsUrl + path, { method })).status, 405, `${method} ${path}`);
  });

  it('probes and callers are served while a thousand clients poll the console', async () => {
    const { service, provider } = running();
    const agent = new Agent({ keepAlive: true });
    const caller = await provider.token();
    const statuses: Record<string, number> = {};
    const look = () =>
      new Promise<void>((resolve) => {
        const asked = httpRequest(`${service.opsUrl}/console/data`, { agent }, (response) => {
          statuses[String(response.statusCode)] = (statuses[String(response.statusCode)] ?? 0) + 1;
          response.resume().on('end', resolve);
        });
        // More connections than the ops port takes.
        asked.on('error', () => resolve());
        asked.end();
      });
    const viewers = Promise.all(Array.from({ length: 1_000 }, look));
    for (let count = 0; count < 5; count += 1)
      assert.equal((await withToken(`${service.url}${me}`, caller)).status, 200);
    await viewers;
    assert.equal((await send(`${service.opsUrl}/livez`)).status, 200);
    assert.deepEqual(Object.keys(statuses), ['200'], JSON.stringify(statuses));
    agent.destroy();
  });
});

describe('the console on another address', () => {
  /** The address itself can also be reached on loopback. */
  const local = ({ opsUrl }: Service) => opsUrl.replace('0.0.0.0', '127.0.0.1');
  const ask = (service: Service, authorization: string) =>
    send(`${local(service)}/console/data`, { headers: { authorization } });

  describe('without OPS_TOKEN', () => {
    const running = deployment({ settings: { OPS_HOST: '0.0.0.0' } });

    it('is off and logs that once; health and metrics answer', async () => {
      const { service } = running();
      for (const [path, status] of [
        ['/', 404],
        ['/console/data', 404],
        ['/livez', 200],
        ['/metrics', 200],
      ] as const)
        assert.equal((await send(local(service) + path)).status, status, path);
      const lines = service.logLines().filter(({ msg }) => String(msg).startsWith('the console is off'));
      assert.equal(lines.length, 1);
    });
  });

  describe('with OPS_TOKEN', () => {
    const running = deployment({
      settings: { OPS_HOST: '0.0.0.0', OPS_TOKEN: token },
      prepare: async () => {
        await part('frontend');
      },
    });

    it('shows nothing without the token, which is accepted only in the header', async () => {
      const { service } = running();
      const { port } = new URL(service.opsUrl);
      for (const path of ['/console/data', '/console/consumers/usr_nobody']) {
        const reply = await send(`${local(service)}${path}?token=${token}`, {
          headers: { cookie: `token=${token}` },
        });
        assert.deepEqual([reply.status, reply.text], [401, '{"status":"token_missing"}']);
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer /);
      }
      assert.equal((await ask(service, `Bearer ${token}`)).status, 200);
      const shown = await statusWithHost(local(service), `ops.example.org:${port}`);
      assert.equal(shown, 200, 'a file of the page');
      for (const path of ['/livez', '/readyz', '/metrics'])
        assert.equal((await send(local(service) + path)).status, 200, path);
    });

    it('wrong tokens are refused; the right token still gets 200', async () => {
      const { service } = running();
      const wrong = [guess, token.slice(1), `${token}x`, token.toUpperCase(), `${token},`];
      for (const sent of wrong) {
        const reply = await ask(service, `Bearer ${sent}`);
        assert.equal(reply.status, 401);
        assert.doesNotMatch(reply.text, /token-of/);
      }
      assert.equal((await ask(service, `Bearer ${token}`)).status, 200);
      assert.equal((await ask(service, `Basic ${btoa(`:${token}`)}`)).status, 401);
    });

    it('the token appears in no answer and no log line', async () => {
      const { service } = running();
      const { text } = await ask(service, `Bearer ${token}`);
      assert.equal(text.includes(token), false);
      assert.equal(JSON.stringify(service.logLines()).includes(token), false);
    });
  });

  it('a short OPS_TOKEN is refused at the start and not repeated in the message', async () => {
    const settings = { IDP_ORIGIN: 'http://127.0.0.1:9', API_AUDIENCE: 'x', TEST_DIRECTORY: '.test-run' };
    const { code, stderr } = await runVestibule({ ...settings, OPS_TOKEN: 'short-token' }, 'check');
    assert.equal(code, 1);
    assert.match(stderr, /OPS_TOKEN must have 32 to 512 visible ASCII characters/);
    assert.equal(stderr.includes('short-token'), false);
  });
});

describe('console data with text of strangers and operators', () => {
  const secretPath = 'path-that-is-a-secret';
  const running = deployment({
    settings: {
      COLLECTIONS_DIR: declarationsFolder({
        notes: `title: '${script}'\nschema: { properties: { text: { type: string, maxLength: 9 } } }`,
      }),
      WEBHOOK_ALLOW: 'loopback',
    },
    prepare: async (settings) => {
      const run = async (...parameters: string[]) => succeeded(await runVestibule(settings, ...parameters));
      await run('client', 'add', 'hostile', '--label', script);
      await run('webhook', 'add', `http://127.0.0.1:9/${secretPath}?key=${secretPath}`, '--events', '*');
    },
  });

  it('is served as JSON, which browsers do not render as a page', async () => {
    const { headers, text } = await send(`${running().service.opsUrl}/console/data`);
    assert.equal(headers.get('content-type'), 'application/json');
    const data = JSON.parse(text);
    assert.equal(data.collections[0].title, script);
    assert.equal(data.database.value.clients[0].label, script);
  });

  it('shows only the origin of a webhook URL, no pseudonyms and no personal data', async () => {
    const { service, provider } = running();
    await provokeRefusals(service, provider);
    const reply = await withToken(`${service.url}${me}`, await provider.token());
    const { id } = reply.json();
    const served = await Promise.all(
      ['/console/data', `/console/consumers/${encodeURIComponent(canaryClaims.sub)}`].map(
        async (path) => (await send(service.opsUrl + path, { headers: canaryHeaders })).text,
      ),
    );
    const text = Buffer.from(served.join('\n'));
    assert.ok(text.length > 5_000);
    assert.equal(text.includes(secretPath), false);
    assert.equal(text.includes(String(id)), false);
    for (const { name, bytes } of canaryNeedles()) assert.equal(text.includes(bytes), false, name);
  });
});
