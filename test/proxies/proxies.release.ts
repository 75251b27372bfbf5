import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { sectionOf, settingsIn } from '../support/commands/documented-settings.ts';
import { assertProblem } from '../support/http/answers.ts';
import { requestFrom } from '../support/http/request.ts';
import { concurrently } from '../support/load/flood.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { logCaughtUp } from '../support/services/log-caught-up.ts';
import { me, type Service, type Settings, startService } from '../support/services/service.ts';
import { call, open } from './proxied-call.ts';
import { proxyNames, type RunningProxy, startProxy } from './proxies.ts';

const refusalsPerMinute = 4;
const jsonType = { 'content-type': 'application/json' };
const documented = settingsIn(sectionOf('docs/proxies.md', 'The service'));

/** More than the socket buffers hold: a caller that does not read causes backpressure. */
const letters = 30;
const letterBytes = 1_000_000;
const declaration = `
schema: { required: [text], properties: { text: { type: string, maxLength: ${letterBytes} } } }
limits: { bytes: 1010000, writes: 1000000/day }`;

describe('a service behind a proxy', () => {
  const running = deployment({
    declarations: { notes: 'schema: { properties: { text: { type: string, maxLength: 10 } } }' },
    settings: {
      ...documented,
      REFUSALS_PER_MINUTE: String(refusalsPerMinute),
      MAX_BODY_BYTES: '16384',
    },
  });
  let bearer: { readonly authorization: string };
  before(async () => {
    bearer = { authorization: `Bearer ${await running().provider.token()}` };
    await writeLetters(running().service.settings, bearer);
  });

  for (const [number, name] of proxyNames.entries()) {
    describe(`behind ${name}, configured as in docs/proxies`, () => {
      let proxy: RunningProxy;
      before(async () => {
        proxy = await startProxy(name, running().service);
      });
      after(() => proxy.stop());
      /** An address that calls through this proxy only. */
      const address = (last: number) => `127.0.${number}.${last}`;

      type Request = Partial<Parameters<typeof call>[1]>;
      const https = (path: string, request: Request = {}) =>
        call(proxy.httpsUrl + path, { from: address(9), ...proxy, ...request });
      const http = (path: string, request: Request = {}) =>
        call(proxy.httpUrl + path, { from: address(9), ...proxy, ...request });
      it('a token over HTTPS is accepted, and the answer has HSTS', async () => {
        const reply = await https(me, { headers: bearer });
        assert.equal(reply.status, 200, reply.text);
        assert.match(reply.headers.get('strict-transport-security') ?? '', /^max-age=/);
      });

      it('a token over HTTP/2 is accepted', async () => {
        const session = connectHttp2(proxy.httpsUrl, { ca: proxy.certificate });
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        session.on('error', reject);
        const stream = session.request({ ':path': me, ...bearer });
        stream.on('response', (headers) => resolve(headers[':status'])).resume();
        assert.equal(await promise, 200);
        session.destroy();
      });

      it('plain HTTP is refused with https_required, whatever forwarding header the caller sends', async () => {
        for (const forwarded of [{}, { 'x-forwarded-proto': 'https' }, { forwarded: 'proto=https' }]) {
          assertProblem(await http(me, { headers: { ...bearer, ...forwarded } }), 'https_required');
        }
      });

      it('a plain HTTP visit to the root is redirected to HTTPS', async () => {
        const reply = await http('/?query-snorkelfinch');
        assert.deepEqual([reply.status, reply.headers.get('location')], [308, `${documented.BASE_URL}/`]);
      });

      it('a caller cannot make its HTTPS look like plain HTTP', async () => {
        const reply = await https(me, { headers: { ...bearer, 'x-forwarded-proto': 'http' } });
        assert.equal(reply.status, 200, reply.text);
      });

      it('refusals are counted for the real address, not for a forged X-Forwarded-For', async () => {
        const refuse = async (from: string, claimed: string) => {
          const headers = { authorization: 'Bearer x', 'x-forwarded-for': claimed };
          return (await https(me, { from, headers })).json().code;
        };
        for (let count = 1; count <= refusalsPerMinute; count += 1) {
          assert.equal(await refuse(address(20), address(30 + count)), 'token_malformed');
        }
        assert.equal(await refuse(address(20), address(21)), 'too_many_refusals');
        assert.equal(await refuse(address(21), address(20)), 'token_malformed');
      });

      it('a request that bypasses the proxy is refused, whatever its forwarding headers', async () => {
        const headers = { ...bearer, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
        assertProblem(await requestFrom(address(40), running().service.url + me, headers), 'https_required');
      });

      it('a token of the maximum length passes the proxy', async () => {
        const tokenOf = (filler: number) => running().provider.token({ groups: 'x'.repeat(filler) });
        const spare = 8192 - (await tokenOf(0)).length;
        const token = await tokenOf(Math.floor((spare * 3) / 4) - 3);
        assert.ok(token.length > 8180 && token.length <= 8192, String(token.length));
        const reply = await https(me, { headers: { authorization: `Bearer ${token}` } });
        assert.equal(reply.status, 200, reply.text);
      });

      it('too large headers and bodies get the error codes of the service', async () => {
        const reply = await https(me, { headers: { ...bearer, 'x-filler': 'x'.repeat(20_000) } });
        assertProblem(reply, 'headers_too_large');
        const body = 'x'.repeat(20_000);
        assertProblem(await https('/token', { method: 'POST', headers: jsonType, body }), 'body_too_large');
      });

      it('an export is streamed with backpressure; the proxy does not buffer it', async () => {
        const finished = () => exportsIn(running().service);
        const earlier = finished();
        const response = await open(`${proxy.httpsUrl}${me}/export`, { ...proxy, headers: bearer });
        const first = await new Promise<Buffer>((resolve) => response.once('data', resolve));
        assert.match(first.toString(), /^\{"type":"consumer"/);
        response.pause();
        for (let count = 0; count < 5; count += 1)
          assert.equal((await https(me, { headers: bearer })).status, 200);
        await logCaughtUp(running().service);
        assert.equal(finished(), earlier, 'the service still waits for the reader');
        let last = '';
        for await (const chunk of response) last = (last + chunk).slice(-100);
        assert.match(last, new RegExp(`\\{"type":"end","records":${letters}\\}\n$`));
        await until(finished, (count) => count === earlier + 1, 'it is not logged');
      });

      it('the proxy does not buffer an event stream', async () => {
        // The export of another caller counts the records of the first.
        const other = { authorization: `Bearer ${await running().provider.token({ sub: name })}` };
        const headers = { ...other, accept: 'text/event-stream' };
        const response = await open(proxy.httpsUrl + me.replace(/me$/, 'events'), { ...proxy, headers });
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        const hasCome = (what: string) =>
          until(() => text.includes(`event: ${what}\n`), true, `${what} does not come`);
        await hasCome('start');
        const note = { method: 'POST', headers: { ...other, ...jsonType }, body: '{"text":"x"}' };
        assert.equal((await https(me.replace(/me$/, 'notes'), note)).status, 201);
        await hasCome('notes.created');
        response.destroy();
      });
    });
  }
});

/** Writes with another process on the same database, with a larger body limit. */
async function writeLetters(settings: Settings, bearer: { readonly authorization: string }): Promise<void> {
  const COLLECTIONS_DIR = declarationsFolder({ letters: declaration });
  const writer = await startService({ ...settings, COLLECTIONS_DIR, MAX_BODY_BYTES: '1048576' });
  const headers = { ...bearer, ...jsonType, 'x-forwarded-proto': 'https' };
  const body = JSON.stringify({ text: 'x'.repeat(letterBytes) });
  const replies = await concurrently(letters, 2, () =>
    fetch(`${writer.url}${me.replace(/me$/, 'letters')}`, { method: 'POST', headers, body }),
  );
  for (const { status } of replies) assert.equal(status, 201);
  await writer.stop();
}

function exportsIn(service: Service): number {
  return service.logLines().filter(({ route }) => route === `${me}/export`).length;
}
