import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, type JWK, SignJWT } from 'jose';
import { canaryClaims } from './canaries.ts';
import { surroundings } from './surroundings.ts';

export interface ProviderKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JWK;
}

export type Claims = Readonly<Record<string, unknown>>;

/** A provider whose every answer a test decides: what it publishes, what it signs, and how it fails. */
export class TestProvider {
  origin = '';
  keys: ProviderKey[] = [];
  /** How many times the key set was asked for. */
  fetches = 0;
  /** Replaces the answer of /jwks. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  readonly #server = createServer((request, response) => this.#serve(request, response));

  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    provider.keys.push(await makeKey());
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    const { port } = provider.#server.address() as { port: number };
    provider.origin = `http://127.0.0.1:${port}`;
    return provider;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get key(): ProviderKey {
    return this.keys[0] as ProviderKey;
  }

  /** The settings that make a service trust this provider. */
  get settings() {
    return { IDP_ORIGIN: this.origin, IDP_JWKS_PATH: '/jwks' };
  }

  /** The claims of a good token; `changes` are what a test is about, and undefined removes a claim. */
  claims(changes: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      ...canaryClaims,
      iss: this.origin,
      aud: surroundings().audience,
      iat: now,
      exp: now + 600,
      jti: randomUUID(),
      scope: 'read write',
      ...changes,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  /** A token signed with the right key, unless a test changes it. */
  token(changes: Claims = {}, header: Claims = {}): Promise<string> {
    const signer = new SignJWT(this.claims(changes));
    return signer
      .setProtectedHeader({ alg: 'RS256', kid: this.key.kid, ...header })
      .sign(this.key.privateKey);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.url !== '/jwks') {
      response.writeHead(404).end();
      return;
    }
    this.fetches += 1;
    if (this.answer !== null) {
      this.answer(request, response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
  }
}

export async function makeKey(kid: string = randomUUID(), modulusLength = 2048): Promise<ProviderKey> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    kid,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' },
  };
}
