import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  assertRefusal,
  byteSequence,
  type ClientCertificate,
  callByTls,
  escapedPem,
  newClientCertificate,
} from '../support/client-certificate.ts';
import { sectionOf, settingsIn } from '../support/documented-settings.ts';
import { oneService } from '../support/one-service.ts';
import { type RunningProxy, startProxy } from '../support/proxies.ts';
import { me } from '../support/service.ts';

const section = sectionOf('docs/proxies.md', 'Tokens bound to a certificate');

/** The lines of the documentation for a proxy. */
function linesFor(proxy: string): string {
  const lines = new RegExp(`^\`\`\`${proxy}\n([^\`]+)\`\`\`$`, 'm').exec(section)?.[1];
  return lines ?? assert.fail(`nothing for ${proxy}`);
}

/** What an operator does by hand, as the section says. */
function insertAfter(text: string, place: RegExp, added: string): string {
  assert.match(text, place);
  return text.replace(place, (found) => `${found}${added}`);
}

const changes = {
  nginx: (text: string) => insertAfter(text, /server_name .*\n/, linesFor('nginx')),
  haproxy(text: string) {
    const asking = /put `(verify [^`]+)` at the end of the line/.exec(section)?.[1] ?? assert.fail();
    return insertAfter(
      insertAfter(text, /bind .* ssl .*/, ` ${asking}`),
      /frontend street\n/,
      linesFor('haproxy'),
    );
  },
};

describe('a token bound to a certificate', () => {
  const running = oneService({
    ...settingsIn(sectionOf('docs/proxies.md', 'The service')),
    ...settingsIn(section),
  });
  for (const name of ['nginx', 'haproxy'] as const) {
    describe(`behind ${name}, as docs/proxies.md has it`, () => {
      let proxy: RunningProxy;
      let own: ClientCertificate;
      let other: ClientCertificate;
      before(async () => {
        [own, other] = [await newClientCertificate(), await newClientCertificate()];
        proxy = await startProxy(name, running().service, [], changes[name]);
      });
      after(() => proxy.stop());
      const call = async (
        shows: ClientCertificate | null,
        headers: Readonly<Record<string, string>> = {},
      ) => {
        const token = await running().provider.token({ cnf: own.confirmation });
        return callByTls(proxy.httpsUrl + me, {
          ca: proxy.certificate,
          shows,
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
      };

      it('is taken from whoever shows it, and from nobody else', async () => {
        const reply = await call(own);
        assert.equal(reply.status, 200, reply.text);
        for (const shows of [null, other]) assertRefusal(await call(shows), 'token_bound');
      });

      it('is not proven by a header that the caller has written itself', async () => {
        for (const value of [escapedPem(own), byteSequence(own)])
          for (const shows of [null, other])
            assertRefusal(await call(shows, { 'x-client-cert': value }), 'token_bound');
      });
    });
  }
});
