import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { describe, type ErrorCode } from '../../../src/base/errors.ts';
import { succeeded } from '../commands/outcome.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { type Reply, request } from '../http/request.ts';
import { type Claims, TestProvider } from '../tokens/provider.ts';
import { tokenOf } from '../tokens/token-endpoint.ts';
import { declarationsFolder } from './declared-processes.ts';
import { sampleDeclarations } from './sample-declarations.ts';
import {
  type DatabaseEngine,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from './service.ts';

interface Preparation {
  readonly settings?: Settings;
  /** Clients of POST /token and their scopes. */
  readonly clients?: Readonly<Record<string, readonly string[]>>;
}

/** A service with the collections of sample-declarations, and its callers. */
export class DeclaredService {
  readonly provider: TestProvider;
  readonly service: Service;
  readonly #secrets: ReadonlyMap<string, string>;
  #people = 0;

  constructor(provider: TestProvider, service: Service, secrets: ReadonlyMap<string, string>) {
    this.provider = provider;
    this.service = service;
    this.#secrets = secrets;
  }

  /** A user with a new token; a new user unless the claims name one. */
  async person(claims: Claims = {}): Promise<ApiCaller> {
    this.#people += 1;
    const token = await this.provider.token({ sub: `person ${this.#people}`, ...claims });
    return new ApiCaller(this.service.url, token);
  }

  /** A client of POST /token with a new token. */
  async machine(id: string): Promise<ApiCaller> {
    const { url } = this.service;
    return new ApiCaller(url, await tokenOf(url, { id, secret: String(this.#secrets.get(id)) }));
  }

  async stop(): Promise<void> {
    await this.provider.stop();
    await this.service.stop();
  }
}

/** One service for all tests of a suite. */
export function declaredService(
  engine: DatabaseEngine,
  { settings = {}, clients = {} }: Preparation = {},
): () => DeclaredService {
  let provider: TestProvider;
  let declared: DeclaredService | undefined;
  before(async () => {
    provider = await TestProvider.start();
    const all = await newSettings(engine, {
      ...provider.settings,
      COLLECTIONS_DIR: declarationsFolder(sampleDeclarations),
      READS_PER_MINUTE: '1000000',
      REFUSALS_PER_MINUTE: '1000000',
      ...settings,
    });
    const secrets = new Map<string, string>();
    for (const [id, scopes] of Object.entries(clients)) secrets.set(id, await addClient(all, id, scopes));
    declared = new DeclaredService(provider, await startService(all), secrets);
  });
  // Stop the provider even if the service did not start.
  after(() => (declared ?? provider).stop());
  return () => declared as DeclaredService;
}

async function addClient(settings: Settings, id: string, scopes: readonly string[]): Promise<string> {
  const named = scopes.flatMap((scope) => ['--scope', scope]);
  const output = succeeded(await runVestibule(settings, 'client', 'add', id, ...named, '--json'));
  return JSON.parse(output).client_secret;
}

interface Sent {
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a body unchanged, JSON or not. */
export function sendBytes(
  { url, token }: ApiCaller,
  method: string,
  path: string,
  body: string | Uint8Array,
  { contentType = 'application/json', headers = {} }: Sent = {},
): Promise<Reply> {
  const type = contentType === null ? {} : { 'content-type': contentType };
  return request(`${url}/api/consumer/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type, ...headers },
    // fetch would add a content type to a string.
    body: new Uint8Array(Buffer.from(body)),
  });
}

/** A problem document with members of its own beside the four that all have. */
export function assertProblemWith(
  reply: Reply,
  code: ErrorCode,
  members: Readonly<Record<string, unknown>>,
  what = '',
): void {
  const { status, sentence } = describe(code);
  assert.equal(reply.status, status, `${what} ${reply.text}`);
  assert.equal(reply.headers.get('content-type'), 'application/problem+json', what);
  const problem = { type: `urn:vestibule:error:${code}`, title: sentence, status, code, ...members };
  const { detail, ...found } = reply.json();
  assert.deepEqual('detail' in members ? { ...found, detail } : found, problem, what);
}

/** The parts of an answer that do not differ between requests. */
export function bytesOf({ status, headers, text }: Reply): unknown {
  const own = ['x-request-id', 'date', 'ratelimit'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), text };
}
