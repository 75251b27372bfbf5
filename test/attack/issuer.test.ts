import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type CryptoKey, decodeJwt, SignJWT } from 'jose';
import type { SigningKey } from '../../src/tokens/signing-key.ts';
import { attackedService } from '../support/attacked-service.ts';
import { ownSigningKey } from '../support/own-signing-key.ts';
import { request } from '../support/request.ts';
import { addClient } from '../support/service.ts';
import { tokenOf } from '../support/token-endpoint.ts';

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
  const target = attackedService();

  it('[A33] the origin gets in, with and without one slash at the end', async () => {
    const { provider } = target();
    await target().accepts(await provider.token({ iss: provider.origin }));
    await target().accepts(await provider.token({ iss: `${provider.origin}/` }));
  });

  it('[A33] any other spelling of the origin is refused', async () => {
    const { provider } = target();
    for (const iss of Object.values(lookalikes(provider.origin)))
      await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
  });

  it('[A34] a list, an object or a number is no issuer, even with the right one inside', async () => {
    const { provider } = target();
    const good = provider.origin;
    for (const iss of [['https://evil.example', good], [good], [[good]], { 0: good }, { iss: good }, 1, true])
      await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
  });

  it('[A35] a token without an issuer is refused', async () => {
    for (const iss of [undefined, null, '', ' '])
      await target().refuses(await target().provider.token({ iss }), 'issuer_mismatch');
  });
});

describe('a provider known by IDP_ISSUER', () => {
  const issuer = 'https://login.example.org/realms/main';
  const target = attackedService({ settings: { IDP_ISSUER: issuer } });

  it('[A33] exactly that issuer gets in', async () => {
    await target().accepts(await target().provider.token({ iss: issuer }));
  });

  it('[A33] any other spelling of it is refused, the slash at the end and the origin of the keys included', async () => {
    const { provider } = target();
    const others = [`${issuer}/`, 'https://login.example.org', provider.origin, `${provider.origin}/`];
    for (const iss of [...others, ...Object.values(lookalikes(issuer))])
      await target().refuses(await provider.token({ iss }), 'issuer_mismatch');
  });
});

describe('two issuers, each with its own keys', () => {
  let ownKey: SigningKey;
  let clientSecret: string;
  let jti: string;
  const clientId = 'shared-name';
  const target = attackedService({
    async prepare(_provider, settings) {
      clientSecret = await addClient(settings, clientId);
    },
  });
  before(async () => {
    const { url, settings } = target().service;
    ownKey = await ownSigningKey(settings);
    const issued = await tokenOf(url, { id: clientId, secret: clientSecret });
    jti = String(decodeJwt(issued).jti);
  });

  const ownIssuer = () => String(target().service.settings.BASE_URL);
  const signedBy = (
    key: CryptoKey | Parameters<SignJWT['sign']>[0],
    kid: string,
    iss: string,
    changes: object = {},
  ) =>
    new SignJWT(target().provider.claims({ iss, sub: clientId, jti, ...changes }))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
      .sign(key);

  it('[A38] each key signs for its own issuer', async () => {
    const { provider } = target();
    await target().accepts(await signedBy(ownKey.privateKey, ownKey.kid, ownIssuer()));
    await target().accepts(await signedBy(provider.key.privateKey, provider.key.kid, provider.origin));
  });

  it('[C108] a token of ours names the credentials it was issued for, and those must still be there', async () => {
    const named = (name: unknown) => signedBy(ownKey.privateKey, ownKey.kid, ownIssuer(), { jti: name });
    const [secretId] = jti.split('.');
    await target().accepts(await named(`${secretId}.x`));
    for (const name of [undefined, null, 1, [jti], '', '.x'])
      await target().refuses(await named(name), 'claim_invalid');
    for (const name of ['000000000000.x', 'key.x', 'key', `x${jti}`, `${secretId}0.x`])
      await target().refuses(await named(name), 'client_disabled');
    const { privateKey, kid } = target().provider.key;
    await target().accepts(await signedBy(privateKey, kid, target().provider.origin, { jti: undefined }));
  });

  it('[A38] a token of ours in the name of the provider is refused', async () => {
    const { provider } = target();
    const { privateKey, kid } = ownKey;
    await target().refuses(await signedBy(privateKey, kid, provider.origin), 'key_unknown');
    await target().refuses(
      await signedBy(privateKey, provider.key.kid, provider.origin),
      'signature_invalid',
    );
  });

  it('[A38] a token of the provider in our name is refused', async () => {
    const { privateKey, kid } = target().provider.key;
    await target().refuses(await signedBy(privateKey, kid, ownIssuer()), 'key_unknown');
    await target().refuses(await signedBy(privateKey, ownKey.kid, ownIssuer()), 'signature_invalid');
  });

  it('[A39] the same subject of both issuers is two callers', async () => {
    const issued = await request(`${target().service.url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    const ours = await target().accepts(issued.json<{ token: string }>().token);
    const theirs = await target().accepts(await target().provider.token({ sub: clientId }));
    assert.equal(ours.subject, theirs.subject);
    assert.equal(ours.kind, 'client');
    assert.equal(theirs.kind, 'user');
    assert.notEqual(ours.id, theirs.id);
  });
});
