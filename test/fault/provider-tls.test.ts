import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { endOf } from '../support/commands/outcome.ts';
import { assertProblem } from '../support/http/answers.ts';
import { withToken } from '../support/http/request.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { me, newSettings, type Service, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const day = 86_400_000;
const address = '127.0.0.1';
const servers: Server[] = [];
const services: Service[] = [];
after(async () => {
  for (const service of services) await service.stop();
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Certificate {
  readonly ip?: string;
  readonly expiresInDays?: number;
}

/** The provider's keys over TLS with a self-signed certificate, and a file that makes it trusted. */
async function serveOverTls(provider: TestProvider, { ip = address, expiresInDays = 1 }: Certificate) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'provider' }], {
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 10 * day),
    notAfterDate: new Date(Date.now() + expiresInDays * day),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip }] },
    ],
  });
  const requests: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    requests.push(String(request.url));
    response.end(JSON.stringify(provider.document));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const directory = `${surroundings().runDirectory}/certificates`;
  mkdirSync(directory, { recursive: true });
  const file = `${directory}/${randomUUID()}.pem`;
  writeFileSync(file, cert);
  return { origin: `https://${address}:${(server.address() as AddressInfo).port}`, file, requests };
}

/** The answer of /me for a good token, of a service that fetches its keys from there. */
async function answerWithKeysFrom(origin: string, provider: TestProvider, trusted: string | null) {
  const settings = await newSettings('sqlite', {
    IDP_ORIGIN: origin,
    IDP_JWKS_PATH: '/jwks',
    ...(trusted === null ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
  });
  const service = await startService(settings);
  services.push(service);
  return withToken(service.url + me, await provider.token({ iss: origin }));
}

describe('a provider over TLS', () => {
  it('[B71] control: keys are read with a trusted, valid certificate for the address', async () => {
    const provider = await TestProvider.down();
    const { origin, file } = await serveOverTls(provider, {});
    assert.equal((await answerWithKeysFrom(origin, provider, file)).status, 200);
  });

  const faults: Record<string, Certificate & { readonly trusted: boolean }> = {
    'of an unknown authority': { trusted: false },
    'that has expired': { trusted: true, expiresInDays: -1 },
    'for another address': { trusted: true, ip: '127.0.0.9' },
  };
  for (const [what, { trusted, ...certificate }] of Object.entries(faults)) {
    it(`[B71] keys are not read with a certificate ${what}`, async () => {
      const provider = await TestProvider.down();
      const { origin, file, requests } = await serveOverTls(provider, certificate);
      const reply = await answerWithKeysFrom(origin, provider, trusted ? file : null);
      assertProblem(reply, 'keys_unavailable');
      assert.deepEqual(requests, [], 'nothing is asked over such a connection');
    });
  }

  it('[B71] the service does not start with a plain HTTP provider that is not on loopback', async () => {
    const origins = ['http://login.example.org', 'http://10.0.0.1:8080', 'http://127.0.0.1.example.org'];
    for (const origin of origins) {
      const settings = await newSettings('sqlite', { IDP_ORIGIN: origin, IDP_JWKS_PATH: '/jwks' });
      const { code, stderr } = await endOf(settings, ['serve']);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /IDP_ORIGIN must be https/);
    }
  });
});
