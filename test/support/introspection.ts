import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import type { Answer, Claims } from './provider.ts';
import { newSettings, type Settings } from './service.ts';

interface Question {
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

/** An introspection endpoint whose answers a test decides. */
export class AskedEndpoint {
  url = '';
  readonly questions: Question[] = [];
  answer: Answer = answerJson({ active: false });
  #server: Server | null = null;

  static async start(): Promise<AskedEndpoint> {
    const endpoint = new AskedEndpoint();
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, headers } = request;
      endpoint.questions.push({ method, headers, form: new URLSearchParams(String(Buffer.concat(chunks))) });
      endpoint.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint.#server = server;
    endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`;
    return endpoint;
  }

  /** The number of introspection requests since `work` began. */
  async asked(work: () => Promise<unknown>): Promise<number> {
    const before = this.questions.length;
    await work();
    return this.questions.length - before;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

export function answerJson(body: unknown): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

/** 256 random bits, as providers make them. */
export function opaqueToken(): string {
  return randomBytes(32).toString('base64url');
}

interface Entry {
  readonly origin: string;
  readonly introspection: {
    readonly url: string;
    readonly clientId: string;
    readonly clientSecret: string;
  } | null;
  /** Further members of the entry. */
  readonly more?: Claims;
}

/** Settings of a service with one provider that introspects opaque tokens. */
export async function introspectingSettings(entry: Entry, overrides: Settings = {}): Promise<Settings> {
  const settings = await newSettings('sqlite', { ...overrides });
  const directory = settings.TEST_DIRECTORY;
  const { origin, introspection, more } = entry;
  const secretFile = `${directory}/introspection.secret`;
  if (introspection !== null) writeFileSync(secretFile, `${introspection.clientSecret}\n`);
  const asked = introspection && {
    introspection: {
      url: introspection.url,
      client_id: introspection.clientId,
      client_secret_file: secretFile,
    },
  };
  const document = [{ name: 'main', origin, issuer: origin, jwks_path: '/jwks', ...asked, ...more }];
  writeFileSync(`${directory}/providers.yaml`, stringify(document));
  return { ...settings, IDPS_FILE: `${directory}/providers.yaml` };
}
