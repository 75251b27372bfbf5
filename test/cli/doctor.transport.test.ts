import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { describe, it } from 'node:test';
import { generate } from 'selfsigned';
import {
  assertLines,
  examined,
  failsWith,
  healthyProvider,
  linesOf,
  passesWith,
  warnsWith,
} from '../support/commands/examined.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { type Settings, startService } from '../support/services/service.ts';

const day = 86_400_000;
const { healthy } = healthyProvider();

describe('vestibule doctor, TLS and proxies', () => {
  /** A certificate for the address; `from` and `to` are days from now. */
  async function tls({ ip = '127.0.0.1', from = -1, to = 90 } = {}): Promise<Settings> {
    const directory = newDirectory();
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'vestibule' }], {
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() + from * day),
      notAfterDate: new Date(Date.now() + to * day),
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
    });
    writeFileSync(`${directory}/tls.crt`, cert);
    writeFileSync(`${directory}/tls.key`, key);
    return { TLS_CERT_FILE: `${directory}/tls.crt`, TLS_KEY_FILE: `${directory}/tls.key` };
  }
  const overTls = async (files: Settings) => {
    const settings = await healthy(files);
    return { ...settings, BASE_URL: String(settings.BASE_URL).replace('http:', 'https:') };
  };

  it('recognises the service by its ops port when it accepts no plain HTTP', async () => {
    const proxied = { TRUSTED_PROXIES: '10.0.0.7', BASE_URL: 'https://api.example.org' };
    for (const settings of [await overTls(await tls()), await healthy(proxied)]) {
      const running = { ...settings };
      const service = await startService(running);
      try {
        const passed = linesOf(await examined(running), 'pass').join('\n');
        assert.match(passed, /^pass {2}port +\S+ is taken by this service, which is ready$/m);
        const other = { ...running, DATABASE_URL: `sqlite:${newDirectory()}/other.db` };
        const failed = linesOf(await examined(other), 'fail').join('\n');
        assert.match(failed, /^FAIL {2}port +.*a service with another database/m);
      } finally {
        await service.stop();
      }
    }
  });

  it('accepts a valid certificate for the host', async () => {
    const says = /certificate +valid until \d{4}-\d\d-\d\d, (89|90) days more/;
    await passesWith(await overTls(await tls()), says);
  });

  it('reports a certificate that is expired, expires soon, or is not yet valid', async () => {
    const expired =
      /^FAIL {2}certificate +valid from \S+ until \d{4}-\d\d-\d\d; expected a certificate that is valid now.*SIGHUP/;
    await failsWith(await overTls(await tls({ from: -20, to: -2 })), expired);
    await failsWith(await overTls(await tls({ from: 3 })), /^FAIL {2}certificate +valid from \d{4}/);
    const soon = /^WARN {2}certificate .*, [45] days more.*expected more than 14 days/;
    await warnsWith(await overTls(await tls({ to: 5 })), soon);
  });

  it('reports a certificate for another host', async () => {
    const says =
      /^FAIL {2}certificate names +IP Address:127\.0\.0\.9; expected 127\.0\.0\.1 \(the host of BASE_URL\)/;
    await failsWith(await overTls(await tls({ ip: '127.0.0.9' })), says);
  });

  it('reports a certificate with the wrong key, and one that cannot be read', async () => {
    const [one, other] = [await tls(), await tls()];
    const mismatched = await overTls({ ...one, TLS_KEY_FILE: String(other.TLS_KEY_FILE) });
    await failsWith(mismatched, /^FAIL {2}certificate .*are not a valid pair/);
    await failsWith(
      await overTls({ ...one, TLS_CERT_FILE: `${newDirectory()}/nowhere.crt` }),
      /^FAIL {2}certificate .*nowhere\.crt" \(TLS_CERT_FILE\) cannot be read \(ENOENT\)/,
    );
  });

  it('reports a plain HTTP BASE_URL behind a proxy, and a HOST that the proxy cannot reach', async () => {
    const plain = /^FAIL {2}proxy +http:\/\/127\.0\.0\.1:\d+; expected a BASE_URL with https/;
    await failsWith(await healthy({ TRUSTED_PROXIES: '127.0.0.1' }), plain);
    await failsWith(
      await healthy({ TRUSTED_PROXIES: '10.0.0.7', BASE_URL: 'https://api.example.org' }),
      /^FAIL {2}proxy +HOST=127\.0\.0\.1 and proxies elsewhere; .*Set HOST=0\.0\.0\.0/,
    );
    const good = { TRUSTED_PROXIES: '127.0.0.1', BASE_URL: 'https://api.example.org' };
    assertLines(await examined(await healthy(good)), 'fail', []);
  });

  it('warns about a BASE_URL with another port', async () => {
    const says = /^WARN {2}address +http:\/\/127\.0\.0\.1:9; expected port \d+ \(PORT\)/;
    await warnsWith(await healthy({ BASE_URL: 'http://127.0.0.1:9' }), says);
  });

  it('reports a provider with an untrusted certificate', async (test) => {
    const files = await tls();
    const [cert, key] = [files.TLS_CERT_FILE, files.TLS_KEY_FILE].map((file) => readFileSync(String(file)));
    const server = createServer({ cert, key } as { cert: Buffer; key: Buffer });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    const { port } = server.address() as { port: number };
    const said =
      /no connection \((DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\); .*NODE_EXTRA_CA_CERTS/;
    await failsWith(await healthy({ IDP_ORIGIN: `https://127.0.0.1:${port}` }), said, said);
  });
});
