import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  assertRefusal,
  byteSequence,
  type ClientCertificate,
  callByTls,
  escapedPem,
  newClientCertificate,
} from '../support/client-certificate.ts';
import { newDpopKey, proofBy } from '../support/dpop.ts';
import { oneService } from '../support/one-service.ts';
import { until } from '../support/polling.ts';
import { me, newSettings } from '../support/service.ts';
import { writeTlsFiles } from '../support/tls-files.ts';

const proxy = '127.0.0.1';
const header = 'x-client-cert';
type Headers = Readonly<Record<string, string | string[]>>;

describe('a token bound to a certificate', () => {
  const settings = { TLS_CERT_FILE: '', TLS_KEY_FILE: '', MTLS: 'on' };
  const behindProxy = { TRUSTED_PROXIES: proxy, MTLS_CERT_HEADER: 'X-Client-Cert' };
  let tls: Awaited<ReturnType<typeof writeTlsFiles>>;
  let own: ClientCertificate;
  let other: ClientCertificate;
  let weak: ClientCertificate;
  before(async () => {
    const { TEST_DIRECTORY: directory } = await newSettings('sqlite', {});
    tls = await writeTlsFiles(String(directory));
    settings.TLS_CERT_FILE = tls.certificateFile;
    settings.TLS_KEY_FILE = tls.keyFile;
    [own, other] = [await newClientCertificate(), await newClientCertificate()];
    weak = await newClientCertificate({ keySize: 1024 });
  });
  after(() => tls.remove());

  const callerOf = (running: ReturnType<typeof oneService>) => ({
    token: (cnf: unknown = own.confirmation) => running().provider.token({ cnf }),
    call: (token: string, call: Omit<Parameters<typeof callByTls>[1], 'ca'> = {}, path = me) =>
      callByTls(`https://${new URL(running().service.url).host}${path}`, {
        ca: tls.certificate,
        ...call,
        headers: { authorization: `Bearer ${token}`, ...call.headers },
      }),
  });

  describe('over our own TLS', () => {
    const running = oneService(settings);
    const { token, call } = callerOf(running);

    it('is taken from whoever shows that certificate, and the answer is as always', async () => {
      const reply = await call(await token(), { shows: own });
      assert.equal(reply.status, 200, reply.text);
    });

    it('is refused without a certificate, and with another one', async () => {
      for (const shows of [null, other]) assertRefusal(await call(await token(), { shows }), 'token_bound');
    });

    it('is refused without it, too, once it was seen with it', async () => {
      const seen = await token();
      assert.equal((await call(seen, { shows: own })).status, 200);
      for (const shows of [null, other]) assertRefusal(await call(seen, { shows }), 'token_bound');
      assert.equal((await call(seen, { shows: own })).status, 200);
    });

    it('is taken over a session that is resumed, and only with a token of its certificate', async () => {
      const first = await call(await token(), { shows: own });
      const resumed = await call(await token(), { shows: own, session: first.session });
      assert.deepEqual([resumed.status, resumed.isResumed], [200, true]);
      const foreign = await call(await token(other.confirmation), { shows: other, session: first.session });
      assert.equal(foreign.isResumed, true, 'the handshake has not shown the other one');
      assertRefusal(foreign, 'token_bound');
    });

    it('is taken with a certificate that has ended: the token says which one, and until when', async () => {
      const ended = await newClientCertificate({ notAfterDate: new Date(86_400_000) });
      const reply = await call(await token(ended.confirmation), { shows: ended });
      assert.equal(reply.status, 200, reply.text);
    });

    it('is refused when the key of the certificate is too small, which the log tells', async () => {
      for (let again = 0; again < 2; again += 1)
        assertRefusal(await call(await token(weak.confirmation), { shows: weak }), 'token_bound');
      await until(
        () => running().service.logLines(),
        (lines) => lines.some(({ detail }) => detail === 'the key of the certificate is weak'),
        'the log does not tell why',
      );
    });

    it('is refused when it is bound in another way, or in two', async () => {
      const thumbprint = own.confirmation['x5t#S256'];
      const key = newDpopKey();
      for (const cnf of [
        { jkt: key.thumbprint },
        { ...own.confirmation, jkt: key.thumbprint },
        { 'x5t#S256': `${thumbprint}=` },
        { 'x5t#S256': [thumbprint] },
        { x5t: thumbprint },
        {},
        null,
      ])
        assertRefusal(await call(await token(cnf), { shows: own }), 'token_bound', JSON.stringify(cnf));
    });

    it('is not proven by a DPoP proof', async () => {
      const bound = await token();
      const uri = `${running().service.settings.BASE_URL}${me}`;
      const dpop = proofBy(newDpopKey(), { method: 'GET', url: uri, token: bound });
      const reply = await call(bound, { shows: own, headers: { authorization: `DPoP ${bound}`, dpop } });
      assert.deepEqual([reply.status, reply.json().code], [403, 'proof_invalid'], reply.text);
    });

    it('is not proven by a header that anybody can write', async () => {
      for (const name of [header, 'client-cert', 'x-ssl-cert'])
        for (const value of [escapedPem(own), byteSequence(own)])
          assertRefusal(await call(await token(), { headers: { [name]: value } }), 'token_bound', name);
    });

    it('leaves other tokens as they are, with a certificate and without', async () => {
      const plain = await running().provider.token();
      for (const shows of [null, own]) assert.equal((await call(plain, { shows })).status, 200);
    });

    it('is announced to clients', async () => {
      const reply = await call('', {}, '/.well-known/oauth-protected-resource');
      assert.equal(reply.json().tls_client_certificate_bound_access_tokens, true, reply.text);
    });
  });

  describe('where no proofs are taken', () => {
    const running = oneService(settings, (all) => {
      Object.assign(all, { DPOP: 'off' });
    });
    const { token, call } = callerOf(running);

    it('is taken all the same, and the scheme of proofs is none', async () => {
      const bound = await token();
      assert.equal((await call(bound, { shows: own })).status, 200);
      assertRefusal(await call(bound), 'token_bound');
      const reply = await call(bound, { shows: own, headers: { authorization: `DPoP ${bound}` } });
      assertRefusal(reply, 'token_missing');
    });
  });

  describe('through a proxy that hands the certificate on', () => {
    const running = oneService(settings, (all) => {
      Object.assign(all, behindProxy);
    });
    const { token, call } = callerOf(running);
    const https = { 'x-forwarded-proto': 'https' };
    const byProxy = async (headers: Headers, shows: ClientCertificate | null = null) =>
      call(await token(), { from: proxy, shows, headers: { ...https, ...headers } });

    it('is taken, in either way of writing it', async () => {
      for (const value of [escapedPem(own), escapedPem(own).replaceAll('%0A', '%0D%0A'), byteSequence(own)]) {
        const reply = await byProxy({ [header]: value });
        assert.equal(reply.status, 200, reply.text);
      }
    });

    it('is refused with another one, with none, and with the name of another header', async () => {
      for (const headers of [
        { [header]: escapedPem(other) },
        { [header]: '' },
        {},
        { 'client-cert': byteSequence(own) },
      ])
        assertRefusal(await byProxy(headers), 'token_bound', JSON.stringify(headers));
    });

    it('is refused when the key of the certificate is too small, and when it is none but bytes', async () => {
      const junk = Buffer.from('no certificate');
      const confirmation = { 'x5t#S256': createHash('sha256').update(junk).digest('base64url') };
      for (const { der, cnf } of [
        { der: weak.der, cnf: weak.confirmation },
        { der: junk, cnf: confirmation },
      ]) {
        const headers = { ...https, [header]: `:${der.toString('base64')}:` };
        for (let again = 0; again < 2; again += 1)
          assertRefusal(await call(await token(cnf), { from: proxy, headers }), 'token_bound');
      }
    });

    it("is not proven by the proxy's own certificate, which is the same for everybody behind it", async () => {
      assertRefusal(await byProxy({}, own), 'token_bound');
      assertRefusal(await byProxy({ [header]: escapedPem(other) }, own), 'token_bound');
    });

    it('is refused with what is no certificate, and with two of them', async () => {
      for (const value of [
        'x',
        ':*:',
        '::',
        '%zz',
        escapedPem(own).replace('BEGIN', 'BEG'),
        `${escapedPem(own)}${escapedPem(other)}`,
        `${byteSequence(own)}, ${byteSequence(other)}`,
        [byteSequence(own), byteSequence(other)],
      ])
        assertRefusal(await byProxy({ [header]: value }), 'header_invalid', String(value).slice(0, 30));
    });

    it('the header is refused from anybody else, whatever it says and whatever is asked for', async () => {
      for (const value of [escapedPem(own), 'x', '']) {
        const headers = { ...https, [header]: value };
        for (const shows of [null, own])
          assertRefusal(await call(await token(), { shows, headers }), 'header_invalid', value.slice(0, 5));
        const plain = await call('', { headers }, '/.well-known/oauth-protected-resource');
        assertRefusal(plain, 'header_invalid');
      }
    });

    it('whoever comes without a proxy shows its own certificate', async () => {
      assert.equal((await call(await token(), { shows: own })).status, 200);
      assertRefusal(await call(await token()), 'token_bound');
    });
  });

  describe('where certificates are not asked for', () => {
    const files = { ...settings, MTLS: 'off' };
    const running = oneService(files, (all) => {
      Object.assign(all, { TLS_CERT_FILE: settings.TLS_CERT_FILE, TLS_KEY_FILE: settings.TLS_KEY_FILE });
    });
    const { token, call } = callerOf(running);

    it('is refused, whatever is shown', async () => {
      assertRefusal(await call(await token(), { shows: own }), 'token_bound');
      const metadata = await call('', {}, '/.well-known/oauth-protected-resource');
      assert.equal('tls_client_certificate_bound_access_tokens' in metadata.json(), false);
    });
  });
});
