import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

const signOnAnotherThread = promisify(sign);

type Algorithm = 'RS256' | 'ES256';

/** The identity provider of the benchmark: one key, RSA of 2048 bits unless told otherwise, published on loopback. */
export class Provider {
  readonly issuer: string;
  readonly jwksPath = '/.well-known/jwks.json';
  readonly publicKeyPem: string;
  readonly algorithm: Algorithm;
  readonly #privateKey: KeyObject;
  readonly #stop: () => void;

  private constructor(issuer: string, algorithm: Algorithm, keys: Keys, stop: () => void) {
    this.issuer = issuer;
    this.algorithm = algorithm;
    this.publicKeyPem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    this.#privateKey = keys.privateKey;
    this.#stop = stop;
  }

  static async start(algorithm: Algorithm = 'RS256'): Promise<Provider> {
    const keys = makeKeys(algorithm);
    const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: algorithm };
    const published = JSON.stringify({ keys: [jwk] });
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(published);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new Provider(`http://127.0.0.1:${port}`, algorithm, keys, () => {
      server.closeAllConnections();
      server.close();
    });
  }

  get jwksUri(): string {
    return `${this.issuer}${this.jwksPath}`;
  }

  sign(claims: object): Promise<string> {
    return signToken(claims, this.algorithm, this.#privateKey);
  }

  stop(): void {
    this.#stop();
  }
}

/** A signature of the right form by a foreign key. */
export function forge(claims: object, algorithm: Algorithm): Promise<string> {
  return signToken(claims, algorithm, makeKeys(algorithm).privateKey);
}

const keyId = 'bench-key-2048-0000000000000001';

type Keys = ReturnType<typeof makeKeys>;

function makeKeys(algorithm: Algorithm) {
  return algorithm === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

async function signToken(claims: object, alg: Algorithm, key: KeyObject): Promise<string> {
  // "JWT" and nothing else, because one of the peers refuses "at+jwt".
  const signed = `${encode({ alg, typ: 'JWT', kid: keyId })}.${encode(claims)}`;
  const signature = await signOnAnotherThread('sha256', Buffer.from(signed), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
