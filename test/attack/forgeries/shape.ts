import assert from 'node:assert/strict';
import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Attack } from '../../support/http/attacked.ts';
import { head, rawReply } from '../../support/http/raw-http.ts';
import { base64url, compact, type Part, rs256, split } from '../../support/tokens/forged-token.ts';

export function shapeForgeries(attack: Attack): void {
  const target = attack();
  const goodHeader = () => ({ alg: 'RS256', kid: target().provider.key.kid });
  const signed = (header: Part, payload: Part) =>
    compact(header, payload, rs256(target().provider.key.privateKey));

  it('[A1] a token of three parts with JSON objects in the first two is accepted', async () => {
    await target().accepts(signed(goodHeader(), target().provider.claims()));
  });

  const arrangements: Record<string, (header: string, payload: string, signature: string) => string> = {
    'dots alone': () => '..',
    'one part': (header) => header,
    'two parts': (header, payload) => `${header}.${payload}`,
    'four parts': (header, payload, signature) => `${header}.${payload}.${signature}.${signature}`,
    'five parts': (header, payload, signature) => `${header}.${payload}.${signature}.${payload}.${signature}`,
    'six parts': (header, payload, signature) => Array(2).fill(`${header}.${payload}.${signature}`).join('.'),
    'a dot before them': (header, payload, signature) => `.${header}.${payload}.${signature}`,
    'a dot after them': (header, payload, signature) => `${header}.${payload}.${signature}.`,
    'two dots between them': (header, payload, signature) => `${header}..${payload}.${signature}`,
    'an empty header': (_header, payload, signature) => `.${payload}.${signature}`,
    'an empty payload': (header, _payload, signature) => `${header}..${signature}`,
  };
  for (const [name, arrange] of Object.entries(arrangements))
    it(`[A17] a token with ${name} is refused`, async () => {
      await target().refuses(arrange(...split(await target().provider.token())), 'token_malformed');
    });

  /** A token encrypted to the provider's public key, as a service that decrypts would take it. */
  function encrypted(header: Record<string, unknown>, plain: Buffer): string {
    const key = randomBytes(32);
    const nonce = randomBytes(12);
    const protectedHeader = base64url({ alg: 'RSA-OAEP-256', enc: 'A256GCM', ...header });
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(protectedHeader));
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const encryptedKey = publicEncrypt({ key: target().provider.key.publicKey, ...padding }, key);
    const parts = [encryptedKey, nonce, ciphertext, cipher.getAuthTag()].map(base64url);
    return [protectedHeader, ...parts].join('.');
  }

  it('[A18] an encrypted token is refused, whatever its content', async () => {
    const plain = Buffer.from(await target().provider.token());
    await target().refuses(encrypted({ cty: 'JWT' }, plain), 'token_malformed');
    await target().refuses(encrypted({ alg: 'dir' }, plain), 'token_malformed');
  });

  it('[A18] a compressed token is refused without being decompressed', async () => {
    const bomb = deflateRawSync(Buffer.alloc(4_000_000));
    await target().refuses(encrypted({ zip: 'DEF' }, bomb), 'token_malformed');
    await target().refuses(signed({ ...goodHeader(), zip: 'DEF' }, bomb), 'token_malformed');
    const large = encrypted({ zip: 'DEF' }, deflateRawSync(Buffer.alloc(50_000_000)));
    await assertTooLargeForHttp(large);
  });

  it('[A18] a token with two billion PBES2 rounds is refused without computing them', async () => {
    const costly = { alg: 'PBES2-HS256+A128KW', p2c: 2_147_483_647, p2s: base64url('salt'), enc: 'A256GCM' };
    await target().refuses(encrypted(costly, Buffer.from('plain')), 'token_malformed');
    const token = signed({ ...goodHeader(), ...costly }, target().provider.claims());
    await target().refuses(token, 'algorithm_not_allowed');
  });

  it('[A19] a token in JSON form is refused', async () => {
    const [header, payload, signature] = split(await target().provider.token());
    const flattened = { payload, protected: header, signature };
    const forms = [
      flattened,
      { payload, signatures: [{ protected: header, signature }] },
      { payload, header: goodHeader(), signature },
      { ...flattened, polyglot: `${header}.${payload}.${signature}` },
    ];
    for (const form of forms) await target().refuses(JSON.stringify(form), 'authorization_malformed');
    const polyglot = `{"a":".${header}.${payload}.${signature}."}`;
    await target().refuses(polyglot, 'authorization_malformed');
    await target().refuses(base64url(flattened), 'token_malformed');
  });

  it('[A19] an alg outside the protected header is ignored', async () => {
    const { kid } = goodHeader();
    const claimed = signed({ kid }, { ...target().provider.claims(), alg: 'RS256' });
    await target().refuses(claimed, 'algorithm_not_allowed');
    const nested = { kid, header: { alg: 'RS256' }, protected: { alg: 'RS256' } };
    await target().refuses(signed(nested, target().provider.claims()), 'algorithm_not_allowed');
  });

  /** These are allowed in a bearer header, so it is the token that is wrong. */
  const isHeaderCharacter = (text: string) => text === '+' || text === '/' || text === '~';
  for (const text of ['=', '+', '/', '~', ' ', '?', '#', '%20', '\u00e9', '"', '\\', ':'])
    it(`[A20] ${JSON.stringify(text)} in any part of a token is refused`, async () => {
      const code: ErrorCode = isHeaderCharacter(text) ? 'token_malformed' : 'authorization_malformed';
      for (const part of [0, 1, 2]) {
        const parts = split(await target().provider.token());
        const segment = parts[part] as string;
        parts[part] = `${segment.slice(0, 10)}${text}${segment.slice(10)}`;
        await target().refuses(parts.join('.'), code);
      }
    });

  it('[A20] padding is refused after each part', async () => {
    const [header, payload, signature] = split(await target().provider.token());
    await target().refuses(`${header}=.${payload}.${signature}`, 'authorization_malformed');
    await target().refuses(`${header}.${payload}==.${signature}`, 'authorization_malformed');
    await target().refuses(`${header}.${payload}.${signature}==`, 'token_malformed');
  });

  it('[A20] a line break or bytes of UTF-8 in a token are refused', async () => {
    const token = await target().provider.token();
    const [front, back] = [token.slice(0, 10), token.slice(10)];
    const utf8 = Buffer.from(head('GET', target().path, `authorization: Bearer ${front}\u{1f511}${back}`));
    await target().refusesRequest(() => rawReply(target().url, utf8), 'authorization_malformed', token);
    for (const lineBreak of ['\n', '\r', '\r\n', '\r\n ', '\0']) {
      const bytes = head('GET', target().path, `authorization: Bearer ${front}${lineBreak}${back}`);
      await target().refusesBytes(bytes, 400, 'bad_request');
    }
  });

  it('[A20] a token with non-zero trailing bits in a part is refused', async () => {
    const token = await target().provider.token();
    const [header, payload, signature] = split(token);
    assert.match(signature, /[AQgw]$/, 'the last of 342 characters carries two bits');
    const next = { A: 'B', Q: 'R', g: 'h', w: 'x' }[signature.at(-1) as string];
    await target().refuses(`${header}.${payload}.${signature.slice(0, -1)}${next}`, 'token_malformed');
  });

  /** A good token of exactly this many characters. */
  function tokenOfLength(length: number): string {
    const { provider } = target();
    // A part of 4n+1 characters does not exist; a longer header gets around that.
    for (let headerPad = 0; headerPad < 3; headerPad += 1) {
      const header = { ...goodHeader(), pad: 'x'.repeat(headerPad) };
      const empty = signed(header, { ...provider.claims(), pad: '' });
      const roughly = Math.floor(((length - empty.length) * 3) / 4);
      for (const pad of [roughly - 1, roughly, roughly + 1, roughly + 2]) {
        const token = signed(header, { ...provider.claims(), pad: 'x'.repeat(pad) });
        if (token.length === length) return token;
      }
    }
    throw new Error(`there is no token of ${length} characters`);
  }

  it('[A48] a token of 8 KiB is accepted and one of a byte more is refused', async () => {
    await target().accepts(tokenOfLength(8192));
    await target().refuses(tokenOfLength(8193), 'token_too_large');
    await target().refuses(tokenOfLength(12_000), 'token_too_large');
  });

  it('[A48] a token of 16 KiB or 1 MB is refused by the header limit (431)', async () => {
    for (const length of [16_384, 1_000_000]) await assertTooLargeForHttp(tokenOfLength(length));
  });

  async function assertTooLargeForHttp(token: string): Promise<void> {
    const bytes = head('GET', target().path, `authorization: Bearer ${token}`);
    await target().refusesBytes(bytes, 431, 'headers_too_large');
  }
}
