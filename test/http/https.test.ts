import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { assertProblem } from '../support/http/answers.ts';
import { exchange, head, rawReply } from '../support/http/raw-http.ts';
import { request } from '../support/http/request.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import {
  me,
  newSettings,
  ownProcess,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

type TlsFiles = Awaited<ReturnType<typeof writeTlsFiles>>;
const strictTransport = 'max-age=31536000; includeSubDomains';

describe('built-in TLS', () => {
  const files = { TLS_CERT_FILE: '', TLS_KEY_FILE: '' };
  let tls: TlsFiles;
  before(async () => {
    const { TEST_DIRECTORY: directory } = await newSettings('sqlite', {});
    tls = await writeTlsFiles(String(directory));
    files.TLS_CERT_FILE = tls.certificateFile;
    files.TLS_KEY_FILE = tls.keyFile;
  });
  after(() => tls.remove());
  const running = deployment({ settings: files });
  const address = (scheme: string) => `${scheme}://${new URL(running().service.url).host}`;

  /** Over TLS, with the certificate checked. */
  function get(token: string): Promise<{ status: number | undefined; hsts: string | undefined }> {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number | undefined;
      hsts: string | undefined;
    }>();
    const headers = { authorization: `Bearer ${token}` };
    httpsRequest(`${address('https')}${me}`, { ca: tls.certificate, headers, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
    })
      .on('error', reject)
      .end();
    return promise;
  }

  it('a token is accepted over TLS, with Strict-Transport-Security', async () => {
    assert.deepEqual(await get(await running().provider.token()), { status: 200, hsts: strictTransport });
  });

  it('a refusal over TLS has Strict-Transport-Security', async () => {
    assert.deepEqual(await get('x'), { status: 403, hsts: strictTransport });
  });

  it('plain HTTP on the TLS port gets no success', async () => {
    const token = `authorization: Bearer ${await running().provider.token()}`;
    const answer = await exchange(address('http'), head('GET', me, token));
    assert.doesNotMatch(answer, /^HTTP\/1\.1 2/);
  });

  it('[G185] HTTP/2 is not negotiated', async () => {
    const { hostname, port } = new URL(address('https'));
    const agreedOn = async (...protocols: string[]) => {
      const options = { host: hostname, port: Number(port), ca: tls.certificate, ALPNProtocols: protocols };
      const socket = connect(options);
      try {
        await once(socket, 'secureConnect');
        return socket.alpnProtocol;
      } catch {
        return 'none';
      } finally {
        socket.destroy();
      }
    };
    assert.equal(await agreedOn('h2', 'http/1.1'), 'http/1.1');
    assert.equal(await agreedOn('h2'), 'none');
  });

  it('the line "listening" names an https address', () => {
    assert.equal(running().service.url, address('https'));
  });
});

describe('behind a trusted proxy', () => {
  const running = deployment({ settings: { TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' } });
  const send = async (...protos: string[]) => {
    const token = `authorization: Bearer ${await running().provider.token()}`;
    const lines = protos.map((proto) => `x-forwarded-proto: ${proto}`);
    return rawReply(running().service.url, head('GET', me, token, ...lines));
  };

  it('a request forwarded as https is accepted, with Strict-Transport-Security', async () => {
    for (const proto of ['https', 'HTTPS', 'https, https']) {
      const reply = await send(proto);
      assert.equal(reply.status, 200, proto);
      assert.equal(reply.headers.get('strict-transport-security'), strictTransport);
    }
  });

  it('a request with any plain HTTP hop is refused', async () => {
    for (const proto of ['http', '', 'https, http', 'http, https', 'https http', 'httpsx', 'wss', 'https,'])
      assertProblem(await send(proto), 'https_required', proto);

    assertProblem(await send(), 'https_required', 'no header');
    assertProblem(await send('https', 'http'), 'https_required', 'two headers');
  });

  it('a request over plain HTTP is refused before its credentials are read', async () => {
    const { url } = running().service;
    for (const token of ['', 'authorization: Bearer x', 'authorization: Bearer']) {
      const lines = token === '' ? [] : [token];
      assertProblem(await rawReply(url, head('GET', me, ...lines)), 'https_required', token);
    }
    assertProblem(await request(`${url}/token`, { method: 'POST' }), 'https_required', '/token');
  });

  it('other proxy headers do not mark a request as https', async () => {
    const { url } = running().service;
    for (const line of ['forwarded: proto=https', 'x-forwarded-ssl: on', 'x-forwarded-scheme: https'])
      assertProblem(await rawReply(url, head('GET', me, line)), 'https_required', line);
  });
});

describe('behind a proxy, with a peer that is not trusted', () => {
  const running = deployment({ settings: { TRUSTED_PROXIES: '10.0.0.7' } });

  it('X-Forwarded headers of an untrusted peer are ignored', async () => {
    const headers = { authorization: `Bearer ${await running().provider.token()}` };
    for (const forwarded of [{}, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.7' }]) {
      const reply = await request(`${running().service.url}${me}`, { headers: { ...headers, ...forwarded } });
      assertProblem(reply, 'https_required');
    }
  });
});

describe('on loopback without a proxy', () => {
  const running = deployment();

  it('X-Forwarded-Proto is ignored', async () => {
    const authorization = `Bearer ${await running().provider.token()}`;
    for (const proto of ['http', 'https', 'x']) {
      const headers = { authorization, 'x-forwarded-proto': proto };
      const reply = await request(`${running().service.url}${me}`, { headers });
      assert.deepEqual([reply.status, reply.headers.get('strict-transport-security')], [200, null]);
    }
  });
});

describe('settings that would send tokens in clear text', () => {
  const refuseToStart = async (setting: string, overrides: Settings) => {
    const provider = await TestProvider.start();
    const settings = await newSettings('sqlite', { ...provider.settings, ...overrides });
    const { code, stdout, stderr } = await runVestibule(settings, 'serve').finally(() => provider.stop());
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      new RegExp(`^vestibule: There is a mistake in the settings:\n  ${setting} [^\n]+\n$`),
    );
  };

  it('serve refuses to listen in plain HTTP on addresses other than loopback', async () => {
    await refuseToStart('HOST', { HOST: '0.0.0.0' });
    await refuseToStart('HOST', { HOST: '::' });
  });

  it('serve refuses a plain HTTP provider, except on loopback', async () => {
    await refuseToStart('IDP_ORIGIN', { IDP_ORIGIN: 'http://idp.example' });
    await refuseToStart('IDP_ORIGIN', { IDP_ORIGIN: 'http://127.0.0.1.idp.example' });
  });

  it('serve refuses a plain HTTP BASE_URL, except on loopback', async () => {
    await refuseToStart('BASE_URL', { BASE_URL: 'http://api.example.org' });
  });
});

/** The fingerprint of the certificate on a new connection. */
function fingerprint(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(
    { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false },
    () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    },
  );
  socket.on('error', reject);
  return promise;
}

describe('SIGHUP with built-in TLS', () => {
  let provider: TestProvider;
  let service: Service;
  let first: TlsFiles;
  let second: TlsFiles;
  before(async () => {
    provider = await TestProvider.start();
    const settings = await newSettings('sqlite', { ...provider.settings, ...ownProcess });
    first = await writeTlsFiles(String(settings.TEST_DIRECTORY));
    const elsewhere = await newSettings('sqlite', {});
    second = await writeTlsFiles(String(elsewhere.TEST_DIRECTORY));
    const files = { TLS_CERT_FILE: first.certificateFile, TLS_KEY_FILE: first.keyFile };
    service = await startService({ ...settings, ...files });
  });
  after(async () => {
    await service.stop();
    await provider.stop();
    first.remove();
    second.remove();
  });

  it('[F161] loads a renewed certificate without interruption', async () => {
    const before = await fingerprint(service.url);
    cpSync(second.certificateFile, first.certificateFile);
    cpSync(second.keyFile, first.keyFile);
    service.process.kill('SIGHUP');
    await until(
      () => fingerprint(service.url),
      (shown) => shown !== before,
      'another certificate is shown',
    );
  });

  it('keeps the certificate when the new one cannot be loaded', async () => {
    const before = await fingerprint(service.url);
    cpSync(first.keyFile, first.certificateFile);
    service.process.kill('SIGHUP');
    await until(
      () => service.logLines().map(({ msg }) => String(msg)),
      (lines) => lines.some((line) => line.startsWith('certificate not reloaded')),
      'the log says so',
    );
    assert.equal(await fingerprint(service.url), before);
  });
});
