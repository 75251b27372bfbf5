import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import { newSettings, ownProcess, type Service, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

type TlsFiles = Awaited<ReturnType<typeof writeTlsFiles>>;

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

describe('SIGHUP', () => {
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
