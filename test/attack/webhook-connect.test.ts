import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { systemClock } from '../../src/base/clock.ts';
import { createEgress, type Egress, type Resolve } from '../../src/events/webhooks/egress.ts';
import { createSend } from '../../src/events/webhooks/send.ts';

const ownUrl = 'https://api.example.org';
const name = 'hooks.example.com';
const loopback = [{ address: '127.0.0.1', family: 4 }] as const;
const outside = [{ address: '8.8.8.8', family: 4 }] as const;

/** The connections that a TLS server on this machine has seen. */
const seen: { sni: string | null; host: string | undefined; from: string | undefined }[] = [];
let connections = 0;
let port = 0;
let close: () => void = () => {};
let trusted: string[] = [];

before(async () => {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: name }] }];
  const subject = [{ name: 'commonName', value: name }];
  const { cert, private: key } = await generate(subject, { algorithm: 'sha256', extensions });
  trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert]);
  const server = createServer({ cert, key }, (request, response) => {
    const { servername } = request.socket as unknown as { servername: string | false };
    seen.push({ sni: servername || null, host: request.headers.host, from: request.socket.remoteAddress });
    response.end();
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
after(() => {
  setDefaultCACertificates(trusted);
  close();
});

/** One delivery through a guard, with its own connections. */
async function sendThrough(egress: Egress, url = `https://${name}:${port}/hook`) {
  const sender = createSend(egress, systemClock);
  try {
    const stopping = new AbortController().signal;
    return await sender.send({ url, headers: { 'content-type': 'application/json' }, body: '{}', stopping });
  } finally {
    sender.close();
  }
}

describe('the connection to a webhook receiver', () => {
  it('[E135] goes to a checked address, with the name for TLS', async () => {
    const guard = createEgress({ allow: [], ownUrl, resolve: async () => [...outside] });
    // The only fake part: this machine stands for the public address.
    const egress: Egress = { ...guard, vettedAddresses: async () => [...loopback] };
    assert.deepEqual(await sendThrough(egress), { ok: true, status: 200 });
    assert.deepEqual(seen.at(-1), { sni: name, host: `${name}:${port}`, from: '127.0.0.1' });
  });

  it('[E135] is refused when the name resolves to this machine after the check', async () => {
    const before = connections;
    const answers = [outside, loopback];
    let asked = 0;
    const resolve: Resolve = async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? loopback;
      asked += 1;
      return [...answer];
    };
    const egress = createEgress({ allow: [], ownUrl, resolve });
    await egress.check(`https://${name}:${port}/hook`);
    assert.deepEqual(await sendThrough(egress), failed('address_refused'));
    assert.equal(asked, 2, 'asked again for the connection, and believed no earlier answer');
    assert.equal(connections, before);
  });

  it('[E135] is refused when one of several addresses is internal', async () => {
    const before = connections;
    const mixed = [
      [...outside, ...loopback],
      [...loopback, ...outside],
      [{ address: '::ffff:127.0.0.1', family: 6 }, ...outside],
      [{ address: '::1', family: 6 }],
    ];
    for (const addresses of mixed) {
      const egress = createEgress({ allow: [], ownUrl, resolve: async () => addresses });
      assert.deepEqual(await sendThrough(egress), failed('address_refused'));
    }
    assert.equal(connections, before);
  });

  it('[E135] is refused for localhost with the real resolver', async () => {
    const before = connections;
    const egress = createEgress({ allow: [], ownUrl });
    const outcome = await sendThrough(egress, `https://localhost:${port}/hook`);
    assert.deepEqual(outcome, failed('address_refused'));
    assert.equal(connections, before);
  });

  it('[E133] is refused for a literal internal address from the database', async () => {
    const before = connections;
    const egress = createEgress({ allow: [], ownUrl });
    for (const host of ['127.0.0.1', '0x7f000001', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0'])
      assert.deepEqual(
        await sendThrough(egress, `https://${host}:${port}/`),
        failed('address_refused'),
        host,
      );
    assert.equal(connections, before);
  });

  it('[E139] is refused for a certificate of another name or unknown authority', async () => {
    const egress = createEgress({ allow: [`https://127.0.0.1:${port}`], ownUrl });
    assert.deepEqual(await sendThrough(egress, `https://127.0.0.1:${port}/`), failed('tls'));
    setDefaultCACertificates(trusted);
    const guard = createEgress({ allow: [], ownUrl });
    const unknown: Egress = { ...guard, vettedAddresses: async () => [...loopback] };
    assert.deepEqual(await sendThrough(unknown), failed('tls'));
  });
});

function failed(reason: string) {
  return { ok: false, status: null, reason, retryAfterMs: null };
}
