import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { head, rawReply } from '../support/http/raw-http.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { request, withToken } from '../support/http/request.ts';
import { me } from '../support/services/service.ts';
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
} from '../support/tokens/dpop.ts';
import { base64url, split, withBrokenSignature, withClaims } from '../support/tokens/forged-token.ts';
import { attackedService } from './attacked-service.ts';

/** RFC 9449 section 4.3: a valid proof, and proofs with one fault each. */
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
  await refusedProof(fault, token, proofBy(by, forMe(token), changes));
}

async function acceptedWith(token: string, query = ''): Promise<void> {
  const proof = proofBy(key, forMe(token));
  await target().acceptsRequest(() => withProof(`${target().url}${query}`, token, proof));
}

async function refusedProof(fault: string, token: string, proof: string): Promise<void> {
  assertProofRefused(await withProof(target().url, token, proof), 'proof_invalid', fault);
}

describe('a valid DPoP proof', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'])
    it(`is accepted with a key for ${algorithm}`, () => accepted({}, newDpopKey(algorithm)));

  it('is accepted repeatedly for a known token, each time as a new proof', async () => {
    const token = await tokenFor();
    for (let times = 0; times < 3; times += 1) await acceptedWith(token);
  });

  it('is accepted with the scheme in any case', async () => {
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
  for (const [name, htu] of Object.entries(sameUri))
    it(`may spell htu ${name}`, () => accepted({ claims: { htu } }));

  it('leaves out the query of the request in htu', async () => {
    const token = await tokenFor();
    await acceptedWith(token, '?anything');
  });

  it('may have an iat that is off by half a minute', async () => {
    for (const off of [-30, 30]) await accepted({ claims: { iat: now() + off } });
  });

  it('may have the full media type as typ, and a key with use, alg and key_ops', () =>
    accepted({
      header: {
        typ: 'application/dpop+jwt',
        jwk: { ...key.jwk, use: 'sig', alg: 'ES256', kid: 'mine', key_ops: ['verify'] },
      },
    }));

  it('may have additional claims', () => accepted({ claims: { exp: now() + 60, nbf: now(), other: [1] } }));
});

describe('a malformed DPoP proof is refused', () => {
  it('when it is missing', async () => {
    const headers = { authorization: `DPoP ${await tokenFor()}` };
    assertProofRefused(await request(target().url, { headers }), 'proof_invalid', 'missing');
  });

  it('when two valid proofs are sent', async () => {
    const token = await tokenFor();
    const lines = [1, 2].map(() => `dpop: ${proofBy(key, forMe(token))}`);
    const bytes = head('GET', me, `authorization: DPoP ${token}`, ...lines);
    assertProofRefused(await rawReply(target().url, bytes), 'proof_invalid', 'repeated');
  });

  const shapes: Record<string, (proof: string) => string> = {
    'empty text': () => ' ',
    'not a JWT': () => 'proof',
    'two parts': (proof) => proof.split('.').slice(0, 2).join('.'),
    'five parts': (proof) => `${proof}.a.b`,
    'a JWT without a signature': (proof) => `${proof.split('.').slice(0, 2).join('.')}.`,
    'a JWT whose header is not JSON': (proof) => `bm9uZQ.${proof.split('.').slice(1).join('.')}`,
    'a JWT whose claims are a list': (proof) => proof.replace(/\.[^.]+\./, '.W10.'),
    'base64 with padding': (proof) => `${proof}=`,
    'more than 8 KiB': (proof) => proof.replace(/\.[^.]+\./, `.${'e30'.repeat(3000)}.`),
  };
  for (const [name, change] of Object.entries(shapes))
    it(`when it is ${name}`, async () => {
      const token = await tokenFor();
      const reply = await withProof(target().url, token, change(proofBy(key, forMe(token))));
      const fault = name === 'empty text' ? reply.json().proof_fault : 'jwt';
      assertProofRefused(reply, 'proof_invalid', String(fault));
    });
});

describe('a DPoP proof is refused when its header', () => {
  const types = [undefined, 'JWT', 'at+jwt', 'dpop+jwt2', 'dpop', 1, ''];
  for (const typ of types)
    it(`has the typ ${JSON.stringify(typ)}`, () => refused('typ', { header: { typ } }));

  for (const alg of [undefined, 'none', 'HS256', 'es256', ['ES256'], 'ES256K', 'RS512'])
    it(`has the alg ${JSON.stringify(alg)}`, async () => {
      const token = await tokenFor();
      const [, claims, signature] = split(proofBy(key, forMe(token)));
      const header = base64url({ typ: 'dpop+jwt', alg, jwk: key.jwk });
      await refusedProof('alg', token, `${header}.${claims}.${signature}`);
    });

  it('has a crit extension', () => refused('crit', { header: { crit: ['b64'], b64: false } }));
  it('has an unencoded payload', () => refused('crit', { header: { b64: true } }));

  const keys: Record<string, unknown> = {
    'no key': undefined,
    'the name of a key': 'key',
    'a list of keys': [key.jwk],
    'a private key': key.privateKey.export({ format: 'jwk' }),
    'a shared secret': { kty: 'oct', k: 'c2VjcmV0' },
    'a key of an unknown kind': { ...key.jwk, kty: 'XX' },
    'a key without a member': { ...key.jwk, y: undefined },
    'a key with a member that is not a string': { ...key.jwk, x: 1 },
    'a key with the kty "constructor"': { ...key.jwk, kty: 'constructor' },
    'a key for encryption': { ...key.jwk, use: 'enc' },
    'a key for signing only': { ...key.jwk, key_ops: ['sign'] },
    'a key for another algorithm': { ...key.jwk, alg: 'ES384' },
  };
  for (const [name, jwk] of Object.entries(keys))
    it(`has ${name}`, () => refused('jwk', { header: { jwk } }));

  it('has an alg that does not fit its key', () =>
    refused('jwk', { header: { alg: 'EdDSA', jwk: key.jwk } }, { ...key, algorithm: 'ES256' }));

  it('has an RSA key of 1024 bits', () => {
    const weak = newDpopKey('RS256', () => generateKeyPairSync('rsa', { modulusLength: 1024 }));
    return refused('jwk', {}, weak);
  });

  it('has an RSA key of more than 4096 bits, without a signature check', async () => {
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

  it('has an EC point that is not on the curve', async () => {
    const jwk = { ...key.jwk, y: String(key.jwk.x) };
    const token = await target().provider.token({ cnf: { jkt: thumbprintOf(jwk) } });
    await refusedProof('jwk', token, proofBy(key, forMe(token), { header: { jwk } }));
  });
});

describe('a DPoP proof is refused when its signature', () => {
  it('is by another key than the one in the header', () => refused('signature', { signedBy: stranger }));

  it('has one bit changed', async () => {
    const token = await tokenFor();
    await refusedProof('signature', token, withBrokenSignature(proofBy(key, forMe(token))));
  });

  it('belongs to other claims', async () => {
    const token = await tokenFor();
    const other = withClaims(proofBy(key, forMe(token)), { jti: 'another' });
    await refusedProof('signature', token, other);
  });

  it('is wrong although the key was accepted before', async () => {
    await accepted({});
    await refused('signature', { signedBy: stranger });
  });
});

describe('a DPoP proof is refused when', () => {
  for (const jti of [undefined, '', 1, null, ['a'], 'x'.repeat(513)])
    it(`jti is ${JSON.stringify(jti)?.slice(0, 10)}`, () => refused('jti', { claims: { jti } }));

  for (const htm of [undefined, 'POST', 'get', ['GET'], ''])
    it(`htm is ${JSON.stringify(htm)}`, () => refused('htm', { claims: { htm } }));

  const others: Record<string, unknown> = {
    missing: undefined,
    'not a string': 1,
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
    // The URL parser drops soft hyphens.
    'a host longer than any name': uri.replace('127.0.0.1', `127${'\u00ad'.repeat(260)}.0.0.1`),
  };
  for (const [name, htu] of Object.entries(others))
    it(`htu is ${name}`, () => refused('htu', { claims: { htu } }));

  const times: Record<string, () => unknown> = {
    missing: () => undefined,
    'a string': () => String(now()),
    null: () => null,
    'a time of over a minute ago': () => now() - 65,
    'a time in over a minute': () => now() + 65,
    milliseconds: () => Date.now(),
  };
  for (const [name, iat] of Object.entries(times))
    it(`iat is ${name}`, () => refused('iat', { claims: { iat: iat() } }));

  it('exp has passed', () => refused('exp', { claims: { exp: now() - 30 } }));
  it('nbf is in the future', () => refused('nbf', { claims: { nbf: now() + 90 } }));

  it('ath is missing', () => refused('ath', { claims: { ath: undefined } }));
  it('ath is the digest of another text', () => refused('ath', { claims: { ath: sha256('another') } }));
  it('ath is encoded in hex', async () => {
    const token = await tokenFor();
    const ath = Buffer.from(sha256(token), 'base64url').toString('hex');
    await refusedProof('ath', token, proofBy(key, forMe(token), { claims: { ath } }));
  });

  it('ath is of another token bound to the same key', async () => {
    const [token, other] = [await tokenFor(), await tokenFor()];
    await refusedProof('ath', token, proofBy(key, forMe(other)));
  });
});

describe('the access token of a DPoP request', () => {
  it('is refused when bound to another key', async () => {
    const token = await tokenFor();
    await refusedProof('cnf', token, proofBy(stranger, forMe(token)));
  });

  it("is refused when bound to another key, although the proof's key was accepted before", async () => {
    await accepted({}, stranger);
    const token = await tokenFor();
    await refusedProof('cnf', token, proofBy(stranger, forMe(token)));
  });

  it('is refused when it is not bound', async () => {
    const token = await target().provider.token();
    await refusedProof('cnf', token, proofBy(key, forMe(token)));
  });

  it('is refused with the Bearer scheme, with or without a proof', async () => {
    const token = await tokenFor();
    assertRefused(await withToken(target().url, token), 'token_bound', token);
    const headers = { authorization: `Bearer ${token}`, dpop: proofBy(key, forMe(token)) };
    assertRefused(await request(target().url, { headers }), 'token_bound', token);
  });

  it('is refused with the Bearer scheme after it was accepted with a proof', async () => {
    const token = await tokenFor();
    await acceptedWith(token);
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
  for (const [name, cnf] of Object.entries(confirmations))
    it(`is refused when bound to ${name}`, async () => {
      const token = await target().provider.token({ cnf });
      const reply = await withProof(target().url, token, proofBy(key, forMe(token)));
      assert.deepEqual([reply.status, reply.json().code], [403, 'token_bound']);
      const challenge = String(reply.headers.get('www-authenticate'));
      assert.match(challenge, /^DPoP realm="vestibule", error="invalid_token"/);
    });

  it('is refused when expired, although the proof is valid', async () => {
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
  for (const [name, authorization] of Object.entries(malformed))
    it(`is refused in an Authorization header with ${name}, although token and proof are valid`, async () => {
      const token = await tokenFor();
      // Both schemes share the cache of remembered tokens.
      await withToken(target().url, token);
      await acceptedWith(token);
      const sent = authorization(token);
      const proof = proofBy(key, { ...forMe(token), token: sent.slice('DPoP '.length) });
      const reply = await request(target().url, { headers: { authorization: sent, dpop: proof } });
      assert.deepEqual([reply.status, reply.json().code], [403, 'authorization_malformed']);
    });

  it('appears in no answer and no log, and neither does its proof', async () => {
    const token = await tokenFor();
    const jti = 'an-id-that-nobody-else-has';
    const proof = proofBy(key, forMe(token), { claims: { jti, htu: 'http://secret.example/path' } });
    const reply = await withProof(target().url, token, proof);
    const written = `${reply.text}${[...reply.headers].join()}${await target().written()}`;
    for (const part of [jti, 'secret.example', key.thumbprint, proof, token])
      assert.ok(!written.includes(part));
  });
});
