import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

const signOnAnotherThread = promisify(sign);

/** The identity provider of the benchmark: one RSA key of 2048 bits, published on loopback. */
export class Provider {
  readonly issuer: string;
  readonly jwksPath = '/.well-known/jwks.json';
  readonly publicKeyPem: string;
  readonly #privateKey: KeyObject;
  readonly #stop: () => void;

  private constructor(issuer: string, keys: Keys, stop: () => void) {
    this.issuer = issuer;
    this.publicKeyPem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    this.#privateKey = keys.privateKey;
    this.#stop = stop;
  }

  static async start(): Promise<Provider> {
    const keys = makeKeys();
    const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' };
    const published = JSON.stringify({ keys: [jwk] });
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(published);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new Provider(`http://127.0.0.1:${port}`, keys, () => {
      server.closeAllConnections();
      server.close();
    });
  }

  get jwksUri(): string {
    return `${this.issuer}${this.jwksPath}`;
  }

  sign(claims: object): Promise<string> {
    return signToken(claims, this.#privateKey);
  }

  stop(): void {
    this.#stop();
  }
}

/** A signature of the right shape by somebody else's key. */
export function forge(claims: object): Promise<string> {
  return signToken(claims, makeKeys().privateKey);
}

const keyId = 'bench-key-2048-0000000000000001';
// "JWT" and nothing else, because one of the peers refuses "at+jwt".
const header = encode({ alg: 'RS256', typ: 'JWT', kid: keyId });

type Keys = ReturnType<typeof makeKeys>;

function makeKeys() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

async function signToken(claims: object, key: KeyObject): Promise<string> {
  const signed = `${header}.${encode(claims)}`;
  const signature = await signOnAnotherThread('sha256', Buffer.from(signed), key);
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
