import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, type JWK, SignJWT } from 'jose';
import { canaryClaims } from '../faults/canaries.ts';
import { listen } from '../http/document-server.ts';
import { freePort } from '../run/ports.ts';
import { surroundings } from '../run/surroundings.ts';

export type ProviderKey = Awaited<ReturnType<typeof makeKey>>;

/** How a request for the key set is answered, or not. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export type Claims = Readonly<Record<string, unknown>>;

/** A provider whose keys, tokens and failures a test decides. */
export class TestProvider {
  origin = '';
  keys: ProviderKey[] = [];
  fetches = 0;
  /** Every request that came in, of whatever kind: its method and address. */
  readonly asked: string[] = [];
  /** How far its clock is ahead of the real time: what the times in its tokens are made from. */
  aheadMs = 0;
  /** Replaces the answer of /jwks. */
  answer: Answer | null = null;
  #server: Server | null = null;
  readonly #waiting = new Set<ServerResponse>();

  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    provider.keys.push(await makeKey());
    await provider.comeBack();
    return provider;
  }

  /** A provider that does not listen yet, at an address where it will. */
  static async down(): Promise<TestProvider> {
    const provider = new TestProvider();
    provider.keys.push(await makeKey());
    provider.origin = `http://127.0.0.1:${await freePort()}`;
    return provider;
  }

  /** Stops listening: connections are refused until it is started again. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Listens, at the address it had before. */
  async comeBack(): Promise<void> {
    const server = createServer((request, response) => this.#serve(request, response));
    this.origin = await listen(server, this.origin === '' ? 0 : Number(new URL(this.origin).port));
    this.#server = server;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get document(): { keys: JWK[] } {
    return { keys: this.keys.map(({ jwk }) => jwk) };
  }

  get key(): ProviderKey {
    return this.keys[0] as ProviderKey;
  }

  get settings() {
    return { IDP_ORIGIN: this.origin, IDP_JWKS_PATH: '/jwks' };
  }

  /** The claims of a good token; `changes` are what a test is about, and undefined removes a claim. */
  claims(changes: Claims = {}): Claims {
    const now = Math.floor((Date.now() + this.aheadMs) / 1000);
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
  token(changes: Claims = {}, header: Claims = {}, key: ProviderKey = this.key): Promise<string> {
    const signer = new SignJWT(this.claims(changes));
    return signer.setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${request.method} ${request.url}`);
    if (request.url !== '/jwks') {
      response.writeHead(404).end();
      return;
    }
    this.fetches += 1;
    this.#waiting.add(response);
    response.on('close', () => this.#waiting.delete(response));
    if (this.answer !== null) {
      this.answer(request, response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.document));
  }
}

export async function makeKey(kid: string = randomUUID(), modulusLength = 2048) {
  const privateKey = modulusLength === 2048 ? nextKey() : newKey(modulusLength);
  const publicKey = createPublicKey(privateKey);
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' };
  return { kid, privateKey, publicKey, jwk };
}

function newKey(modulusLength: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey;
}

let keysTaken = 0;

/** For the next test file in this process: the former provider is stopped, so its keys can be used again. */
export function reuseKeys(): void {
  keysTaken = 0;
}

/** Another one each time in a test file. Making one is slow, so the files of a run use the same ones. */
function nextKey(): KeyObject {
  const folder = `${surroundings().runDirectory}/provider-keys`;
  const file = `${folder}/${keysTaken}.pem`;
  keysTaken += 1;
  if (existsSync(file)) return createPrivateKey(readFileSync(file));
  const key = newKey(2048);
  mkdirSync(folder, { recursive: true });
  // Under its name once it is whole. Two processes may make the same one at once: each has a good one, and one is kept.
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, key.export({ type: 'pkcs8', format: 'pem' }));
  renameSync(unfinished, file);
  return key;
}
