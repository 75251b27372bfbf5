import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  assertProofRefused,
  type DpopKey,
  newDpopKey,
  type ProofChanges,
  type Proving,
  proofBy,
  sha256,
  thumbprintOf,
  withProof,
} from '../support/dpop.ts';
import { head, rawReply } from '../support/raw-http.ts';
import { assertRefused } from '../support/refusals.ts';
import { request, withToken } from '../support/request.ts';
import { me } from '../support/service.ts';
import { attackedService } from './attacked-service.ts';

/** RFC 9449 section 4.3: a proof is good, and each time one thing about it is wrong. */
const target = attackedService();
const uri = `http://127.0.0.1/vestibule${me}`;
const key = newDpopKey();
const stranger = newDpopKey();
const now = () => Math.floor(Date.now() / 1000);

const tokenFor = (to: DpopKey = key) => target().provider.token({ cnf: { jkt: to.thumbprint } });
const forMe = (token: string): Proving => ({ method: 'GET', url: uri, token });

async function accepted(changes: ProofChanges, by: DpopKey = key): Promise<void> {
  const token = await tokenFor(by);
  await target().acceptsRequest(() => withProof(target().url, token, proofBy(by, forMe(token), changes)));
}

async function refused(fault: string, changes: ProofChanges, by: DpopKey = key): Promise<void> {
  const token = await tokenFor(by);
  const reply = await withProof(target().url, token, proofBy(by, forMe(token), changes));
  assertProofRefused(reply, 'proof_invalid', fault);
}

describe('a good proof', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']) {
    it(`gets in with a key for ${algorithm}`, () => accepted({}, newDpopKey(algorithm)));
  }

  it('gets in with a token that was seen before, each time with a new proof', async () => {
    const token = await tokenFor();
    for (let times = 0; times < 3; times += 1)
      await target().acceptsRequest(() => withProof(target().url, token, proofBy(key, forMe(token))));
  });

  it('gets in with the scheme in any case', async () => {
    const token = await tokenFor();
    for (const scheme of ['dpop', 'DPOP', 'DPoP']) {
      const headers = { authorization: `${scheme} ${token}`, dpop: proofBy(key, forMe(token)) };
      await target().acceptsRequest(() => request(target().url, { headers }));
    }
  });

  const sameUri: Record<string, string> = {
    'with a query': `${uri}?limit=3`,
    'with a fragment': `${uri}#part`,
    'with the usual port': uri.replace('127.0.0.1', '127.0.0.1:80'),
    'with the scheme in capitals': uri.replace('http', 'HTTP'),
    'with escapes that need none': uri.replace('/me', '/%6De'),
    'with dots in the path': uri.replace('/me', '/./other/../me'),
  };
  for (const [name, htu] of Object.entries(sameUri)) {
    it(`names the same address ${name}`, () => accepted({ claims: { htu } }));
  }

  it('is for an address without its query', async () => {
    const token = await tokenFor();
    const proof = proofBy(key, forMe(token));
    await target().acceptsRequest(() => withProof(`${target().url}?anything`, token, proof));
  });

  it('may have a clock that is half a minute off, either way', async () => {
    for (const off of [-30, 30]) await accepted({ claims: { iat: now() + off } });
  });

  it('may have a type with its full name, and a key that says what it is for', () =>
    accepted({
      header: {
        typ: 'application/dpop+jwt',
        jwk: { ...key.jwk, use: 'sig', alg: 'ES256', kid: 'mine', key_ops: ['verify'] },
      },
    }));

  it('may say more than it has to', () => accepted({ claims: { exp: now() + 60, nbf: now(), other: [1] } }));
});

describe('a proof that is none', () => {
  it('is missing', async () => {
    const headers = { authorization: `DPoP ${await tokenFor()}` };
    assertProofRefused(await request(target().url, { headers }), 'proof_invalid', 'missing');
  });

  it('comes twice, both of them good', async () => {
    const token = await tokenFor();
    const lines = [1, 2].map(() => `dpop: ${proofBy(key, forMe(token))}`);
    const bytes = head('GET', me, `authorization: DPoP ${token}`, ...lines);
    assertProofRefused(await rawReply(target().url, bytes), 'proof_invalid', 'repeated');
  });

  const shapes: Record<string, (proof: string) => string> = {
    'empty text': () => ' ',
    'no JWT': () => 'proof',
    'two parts': (proof) => proof.split('.').slice(0, 2).join('.'),
    'five parts': (proof) => `${proof}.a.b`,
    'a JWT without a signature': (proof) => `${proof.split('.').slice(0, 2).join('.')}.`,
    'a header that is no JSON': (proof) => `bm9uZQ.${proof.split('.').slice(1).join('.')}`,
    'claims that are a list': (proof) => proof.replace(/\.[^.]+\./, '.W10.'),
    'base64 with padding': (proof) => `${proof}=`,
    'more than 8 KiB': (proof) => proof.replace(/\.[^.]+\./, `.${'e30'.repeat(3000)}.`),
  };
  for (const [name, change] of Object.entries(shapes)) {
    it(`is ${name}`, async () => {
      const token = await tokenFor();
      const reply = await withProof(target().url, token, change(proofBy(key, forMe(token))));
      const fault = name === 'empty text' ? reply.json().proof_fault : 'jwt';
      assertProofRefused(reply, 'proof_invalid', String(fault));
    });
  }
});

describe('the header of a proof', () => {
  const types = [undefined, 'JWT', 'at+jwt', 'dpop+jwt2', 'dpop', 1, ''];
  for (const typ of types) {
    it(`has the type ${JSON.stringify(typ)}`, () => refused('typ', { header: { typ } }));
  }

  for (const alg of [undefined, 'none', 'HS256', 'es256', ['ES256'], 'ES256K', 'RS512']) {
    it(`has the algorithm ${JSON.stringify(alg)}`, async () => {
      const token = await tokenFor();
      const good = proofBy(key, forMe(token));
      const [, claims = '', signature = ''] = good.split('.');
      const header = { typ: 'dpop+jwt', alg, jwk: key.jwk };
      const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
      const reply = await withProof(target().url, token, `${encoded}.${claims}.${signature}`);
      assertProofRefused(reply, 'proof_invalid', 'alg');
    });
  }

  it('demands an extension', () => refused('crit', { header: { crit: ['b64'], b64: false } }));
  it('has an unencoded payload', () => refused('crit', { header: { b64: true } }));

  const keys: Record<string, unknown> = {
    'no key': undefined,
    'the name of a key': 'key',
    'a list of keys': [key.jwk],
    'a private key': key.privateKey.export({ format: 'jwk' }),
    'a shared secret': { kty: 'oct', k: 'c2VjcmV0' },
    'a key of an unknown kind': { ...key.jwk, kty: 'XX' },
    'a key without a part of it': { ...key.jwk, y: undefined },
    'a part that is no text': { ...key.jwk, x: 1 },
    'a kind that is a name of every object': { ...key.jwk, kty: 'constructor' },
  };
  for (const [name, jwk] of Object.entries(keys)) {
    it(`has ${name}`, () => refused('jwk', { header: { jwk } }));
  }

  const unfit: Record<string, Record<string, unknown>> = {
    'for encryption': { use: 'enc' },
    'to sign with': { key_ops: ['sign'] },
    'for another algorithm': { alg: 'ES384' },
  };
  for (const [name, members] of Object.entries(unfit)) {
    it(`has a key ${name}`, () => refused('jwk', { header: { jwk: { ...key.jwk, ...members } } }));
  }

  it('has an algorithm that is not for its key', () =>
    refused('jwk', { header: { alg: 'EdDSA', jwk: key.jwk } }, { ...key, algorithm: 'ES256' }));

  it('has an RSA key of 1024 bits', () => {
    const weak = newDpopKey('RS256', () => generateKeyPairSync('rsa', { modulusLength: 1024 }));
    return refused('jwk', {}, weak);
  });

  it('has an RSA key of more than 4096 bits, which is not even tried', async () => {
    const faultOf = async (bytes: number) => {
      const modulus = randomBytes(bytes);
      modulus[0] = 0x80;
      modulus[bytes - 1] = (modulus.at(-1) as number) | 1;
      const jwk = { kty: 'RSA', e: 'AQAB', n: modulus.toString('base64url') };
      const token = await target().provider.token({ cnf: { jkt: thumbprintOf(jwk) } });
      const proof = proofBy(key, forMe(token), { header: { jwk, alg: 'RS256' }, signedBy: rsaKey });
      return (await withProof(target().url, token, proof)).json().proof_fault;
    };
    const rsaKey = newDpopKey('RS256');
    assert.equal(await faultOf(4096 / 8), 'signature', 'control: this one is tried');
    assert.equal(await faultOf(4096 / 8 + 1), 'jwk');
  });

  it('has a point that is not on the curve', async () => {
    const jwk = { ...key.jwk, y: String(key.jwk.x) };
    const token = await target().provider.token({ cnf: { jkt: thumbprintOf(jwk) } });
    const proof = proofBy(key, forMe(token), { header: { jwk } });
    assertProofRefused(await withProof(target().url, token, proof), 'proof_invalid', 'jwk');
  });
});

describe('the signature of a proof', () => {
  it('is by another key than the one in its header', () => refused('signature', { signedBy: stranger }));

  it('has a bit turned', async () => {
    const token = await tokenFor();
    const proof = proofBy(key, forMe(token));
    const at = proof.lastIndexOf('.') + 10;
    const turned = `${proof.slice(0, at)}${proof[at] === 'A' ? 'B' : 'A'}${proof.slice(at + 1)}`;
    assertProofRefused(await withProof(target().url, token, turned), 'proof_invalid', 'signature');
  });

  it('is of other claims', async () => {
    const token = await tokenFor();
    const [header, , signature] = proofBy(key, forMe(token)).split('.');
    const [, claims] = proofBy(key, forMe(token)).split('.');
    const reply = await withProof(target().url, token, [header, claims, signature].join('.'));
    assertProofRefused(reply, 'proof_invalid', 'signature');
  });

  it('is checked also where the key was seen before', async () => {
    await accepted({});
    await refused('signature', { signedBy: stranger });
  });
});

describe('the claims of a proof', () => {
  for (const jti of [undefined, '', 1, null, ['a'], 'x'.repeat(513)]) {
    it(`have the id ${JSON.stringify(jti)?.slice(0, 10)}`, () => refused('jti', { claims: { jti } }));
  }
  for (const htm of [undefined, 'POST', 'get', ['GET'], '']) {
    it(`are for the method ${JSON.stringify(htm)}`, () => refused('htm', { claims: { htm } }));
  }

  const others: Record<string, unknown> = {
    'no address': undefined,
    'no text': 1,
    'another path': uri.replace('/me', '/me/usage'),
    'a longer path': `${uri}/`,
    'a shorter path': uri.replace('/me', ''),
    'another host': uri.replace('127.0.0.1', 'evil.example'),
    'another port': uri.replace('127.0.0.1', '127.0.0.1:8080'),
    'another scheme': uri.replace('http:', 'https:'),
    'the path alone': me,
    'a path in capitals': uri.replace('/me', '/ME'),
    'the address behind the proxy': `http://127.0.0.1${me}`,
    'a name before the host': uri.replace('127.0.0.1', 'me@127.0.0.1'),
    'an escaped slash': uri.replace('/me', '%2Fme'),
    'a backslash': uri.replace('/me', '\\me'),
    'a blank before it': ` ${uri}`,
  };
  for (const [name, htu] of Object.entries(others)) {
    it(`are for ${name}`, () => refused('htu', { claims: { htu } }));
  }

  const times: Record<string, () => unknown> = {
    'no time': () => undefined,
    'a text': () => String(now()),
    null: () => null,
    'a time of over a minute ago': () => now() - 65,
    'a time in over a minute': () => now() + 65,
    milliseconds: () => Date.now(),
  };
  for (const [name, iat] of Object.entries(times)) {
    it(`are of ${name}`, () => refused('iat', { claims: { iat: iat() } }));
  }
  it('have expired', () => refused('exp', { claims: { exp: now() - 30 } }));
  it('are not valid yet', () => refused('nbf', { claims: { nbf: now() + 90 } }));

  it('are for no token', () => refused('ath', { claims: { ath: undefined } }));
  it('are for another token', () => refused('ath', { claims: { ath: sha256('another') } }));
  it('have the digest in another spelling', async () => {
    const token = await tokenFor();
    const ath = Buffer.from(sha256(token), 'base64url').toString('hex');
    const reply = await withProof(target().url, token, proofBy(key, forMe(token), { claims: { ath } }));
    assertProofRefused(reply, 'proof_invalid', 'ath');
  });

  it('are for another token of the same key', async () => {
    const [token, other] = [await tokenFor(), await tokenFor()];
    const reply = await withProof(target().url, token, proofBy(key, forMe(other)));
    assertProofRefused(reply, 'proof_invalid', 'ath');
  });
});

describe('the token of a proof', () => {
  it('is bound to another key', async () => {
    const token = await tokenFor();
    const reply = await withProof(target().url, token, proofBy(stranger, forMe(token)));
    assertProofRefused(reply, 'proof_invalid', 'cnf');
  });

  it('is bound to another key, also where that one was seen before', async () => {
    await accepted({}, stranger);
    const token = await tokenFor();
    const reply = await withProof(target().url, token, proofBy(stranger, forMe(token)));
    assertProofRefused(reply, 'proof_invalid', 'cnf');
  });

  it('is bound to nothing', async () => {
    const token = await target().provider.token();
    const reply = await withProof(target().url, token, proofBy(key, forMe(token)));
    assertProofRefused(reply, 'proof_invalid', 'cnf');
  });

  it('is sent as a plain bearer token, with its proof or without', async () => {
    const token = await tokenFor();
    assertRefused(await withToken(target().url, token), 'token_bound', token);
    const headers = { authorization: `Bearer ${token}`, dpop: proofBy(key, forMe(token)) };
    assertRefused(await request(target().url, { headers }), 'token_bound', token);
  });

  it('is sent as a plain bearer token after it was proven', async () => {
    const token = await tokenFor();
    await target().acceptsRequest(() => withProof(target().url, token, proofBy(key, forMe(token))));
    for (let times = 0; times < 2; times += 1)
      assertRefused(await withToken(target().url, token), 'token_bound', token);
  });

  const confirmations: Record<string, unknown> = {
    'a key and a certificate': { jkt: key.thumbprint, 'x5t#S256': key.thumbprint },
    'a certificate': { 'x5t#S256': key.thumbprint },
    'a thumbprint that is too short': { jkt: key.thumbprint.slice(1) },
    'a list of thumbprints': { jkt: [key.thumbprint] },
    'a key in full': { jwk: key.jwk },
  };
  for (const [name, cnf] of Object.entries(confirmations)) {
    it(`is bound to ${name}`, async () => {
      const token = await target().provider.token({ cnf });
      const reply = await withProof(target().url, token, proofBy(key, forMe(token)));
      assert.deepEqual([reply.status, reply.json().code], [403, 'token_bound']);
      assert.match(
        String(reply.headers.get('www-authenticate')),
        /^DPoP realm="vestibule", error="invalid_token"/,
      );
    });
  }

  it('has expired, whatever its proof', async () => {
    const token = await target().provider.token({ cnf: { jkt: key.thumbprint }, exp: now() - 60 });
    const reply = await withProof(target().url, token, proofBy(key, forMe(token)));
    assert.deepEqual([reply.status, reply.json().code], [403, 'token_expired']);
  });

  const malformed: Record<string, (token: string) => string> = {
    'no token': () => 'DPoP',
    'two blanks': (token) => `DPoP  ${token}`,
    'a tab': (token) => `DPoP\t${token}`,
    'two tokens': (token) => `DPoP ${token} ${token}`,
    'another scheme before it': (token) => `DPoP Bearer ${token}`,
    'another scheme behind it': (token) => `DPoP ${token}, Bearer ${token}`,
  };
  for (const [name, authorization] of Object.entries(malformed)) {
    it(`is sent with ${name}, though it was seen before and its proof is good`, async () => {
      const token = await tokenFor();
      // Both schemes share what is remembered of a token.
      await withToken(target().url, token);
      await target().acceptsRequest(() => withProof(target().url, token, proofBy(key, forMe(token))));
      const sent = authorization(token);
      const proof = proofBy(key, { ...forMe(token), token: sent.slice('DPoP '.length) });
      const reply = await request(target().url, { headers: { authorization: sent, dpop: proof } });
      assert.deepEqual([reply.status, reply.json().code], [403, 'authorization_malformed']);
    });
  }

  it('is nothing that an answer or a log repeats, and neither is the proof', async () => {
    const token = await tokenFor();
    const jti = 'an-id-that-nobody-else-has';
    const proof = proofBy(key, forMe(token), { claims: { jti, htu: 'http://secret.example/path' } });
    const reply = await withProof(target().url, token, proof);
    const written = `${reply.text}${[...reply.headers].join()}${await target().written()}`;
    for (const part of [jti, 'secret.example', key.thumbprint, proof, token])
      assert.ok(!written.includes(part));
  });
});
