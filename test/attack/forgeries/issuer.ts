import { describe, it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';

export function issuerForgeries(attack: Attack): void {
  /** Spellings that some URL parser or careless comparison takes for `issuer`. */
  function lookalikes(issuer: string): Record<string, string> {
    const { protocol, host, hostname, pathname } = new URL(issuer);
    const path = pathname === '/' ? '' : pathname;
    return {
      'two slashes at the end': `${issuer}//`,
      'a dot at the end of the path': `${issuer}/.`,
      'a path more': `${issuer}/other`,
      'a query': `${issuer}?x`,
      'a fragment': `${issuer}#`,
      'capital letters': issuer.toUpperCase(),
      'a scheme in capitals': issuer.replace(protocol, protocol.toUpperCase()),
      'another scheme': issuer.replace(protocol, protocol === 'https:' ? 'http:' : 'https:'),
      'no scheme': issuer.replace(`${protocol}//`, ''),
      'port 443': `${protocol}//${hostname}:443${path}`,
      'a space before': ` ${issuer}`,
      'a space after': `${issuer} `,
      'a line break after': `${issuer}\n`,
      'a NUL after': `${issuer}\0`,
      'the good host as a user name': `${protocol}//${host}@evil.example${path}`,
      'a user name': `${protocol}//user@${host}${path}`,
      'the good host as a subdomain': `${protocol}//${host}.evil.example${path}`,
      'a dot after the host': `${protocol}//${hostname}.${path}`,
      'a percent-encoded letter': issuer.replace(/1|e/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      'a look-alike letter': issuer.replace(/1|e/, (letter) => (letter === '1' ? '\u0661' : '\u0435')),
      'a full-width letter': issuer.replace(/1|e/, (letter) =>
        String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
      ),
      'a zero-width space': `${issuer}\u200b`,
      'a backslash': issuer.replace('//', '\\\\'),
      'the beginning only': issuer.slice(0, -1),
      'nothing in common': 'https://evil.example',
    };
  }

  describe('a provider known by its origin', () => {
    const target = attack();

    it('[A33] any other spelling of the origin is refused', async () => {
      const { provider } = target();
      for (const iss of Object.values(lookalikes(provider.origin)))
        await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
    });

    it('[A34] an issuer that is a list, object or number is refused, even with the right one inside', async () => {
      const { provider } = target();
      const good = provider.origin;
      const evil = 'https://evil.example';
      for (const iss of [[evil, good], [good], [[good]], { 0: good }, { iss: good }, 1, true])
        await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
    });

    it('[A35] a token without an issuer is refused', async () => {
      for (const iss of [undefined, null, '', ' '])
        await target().refuses(await target().provider.token({ iss }), 'issuer_mismatch');
    });
  });

  describe('a provider known by IDP_ISSUER', () => {
    const issuer = 'https://login.example.org/realms/main';
    const target = attack({ settings: { IDP_ISSUER: issuer } });

    it('[A33] exactly that issuer is accepted', async () => {
      await target().accepts(await target().provider.token({ iss: issuer }));
    });

    it('[A33] any other spelling is refused, also with a trailing slash or as the origin of the keys', async () => {
      const { provider } = target();
      const others = [`${issuer}/`, 'https://login.example.org', provider.origin, `${provider.origin}/`];
      for (const iss of [...others, ...Object.values(lookalikes(issuer))])
        await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
    });
  });
}
