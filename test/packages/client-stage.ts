import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../support/run/ports.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  addClient,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { CuttingProxy, type Mishap } from './cutting-proxy.ts';

const roomy = 'limits: { per_user: 100000, writes: 1000000/min }';

const declarations = {
  notes: `
schema: { required: [text], properties: { text: { type: string, minLength: 1, maxLength: 280 }, done: { type: boolean } } }
${roomy}`,
  bookings: `
schema:
  required: [slot, seats]
  properties: { slot: { type: string, format: date-time }, seats: { type: integer, minimum: 1, maximum: 8 } }
index: [slot, seats]
states:
  draft: { submit: submitted, cancel: cancelled, poke: draft }
  submitted: { approve: { to: approved, by: client }, cancel: cancelled }
  approved: {}
  cancelled: {}
editable: [draft]
access: { clients: any }
${roomy}`,
  counters: `
schema: { required: [count], properties: { count: { type: integer } } }
${roomy}`,
  ledger: `
schema: { required: [amount], properties: { amount: { type: integer } } }
concurrency: required
${roomy}`,
  boards: `
schema: { required: [text], properties: { text: { type: string, maxLength: 280 } } }
access: { read: everyone }
${roomy}`,
  drafts: `
schema: { required: [text], properties: { text: { type: string, maxLength: 280 } } }
events: none
${roomy}`,
  items: `
schema:
  required: [title]
  properties: { title: { type: string, maxLength: 120 }, due: { type: string, format: date } }
roles:
  borrower: { max_per_user: 5 }
access: { read: everyone }
states:
  available: { request: { to: requested, by: everyone, grants: borrower } }
  requested: { lend: { to: lent, by: owner, sets: [due] } }
  lent:
    bring_back: { to: lent, by: borrower }
    take_back: { to: available, by: owner, revokes: borrower, clears: [due] }
aliases: true
${roomy}`,
  lists: `
schema: { required: [text], properties: { text: { type: string, maxLength: 60 } } }
roles:
  member: { invited_by: [owner, admin] }
  admin: { invited_by: owner }
  owner: { invited_by: owner, previous_owner: member }
access: { read: [owner, admin, member], update: [owner, admin, member] }
search: [text]
history: true
limits: { per_user: 100000, writes: 1000000/min, memberships: 1000 }`,
  issues: `
schema: { required: [title], properties: { title: { type: string, maxLength: 60 } } }
roles: { moderator: { scope: issues.moderate } }
access: { read: everyone }
${roomy}`,
  comments: `
parent: { field: issue, collection: issues, on_delete: cascade }
schema: { required: [text], properties: { text: { type: string, maxLength: 60 } } }
access: { create: everyone, read: everyone }
${roomy}`,
  chips: 'schema: { properties: { text: { type: string, maxLength: 9 } } }\nlimits: { writes: 2/day }',
};

/** The commands of a case besides the calls of the client, as JSON, so that a page can send them, too. */
export interface Stage {
  /** A token of the person of that name. */
  token(name: string, lifeSeconds?: number): Promise<string>;
  machineToken(): Promise<string>;
  arrange(mishap: Mishap): Promise<void>;
  calm(): Promise<void>;
  cutAll(): Promise<void>;
  /** Counts the requests whose first line begins with this text. */
  count(line: string): Promise<number>;
  restart(): Promise<void>;
}

export type StageCommand = keyof Stage;

interface Parts {
  readonly provider: TestProvider;
  readonly settings: Settings;
  readonly page: Server;
  readonly secret: string;
}

/** A service with collections behind a proxy that cuts, and a page on another origin that may call it. */
export class ClientStage implements Stage {
  readonly proxy: CuttingProxy;
  readonly #parts: Parts;
  #service: Service;

  private constructor(proxy: CuttingProxy, service: Service, parts: Parts) {
    this.proxy = proxy;
    this.#service = service;
    this.#parts = parts;
  }

  static async start(): Promise<ClientStage> {
    const provider = await TestProvider.start();
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>A page</title>');
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const port = await freePort();
    const settings = await newSettings('sqlite', {
      ...provider.settings,
      PORT: String(port),
      COLLECTIONS_DIR: declarationsFolder(declarations),
      CORS_ORIGINS: originOf(page),
      READS_PER_MINUTE: '1000000',
      REFUSALS_PER_MINUTE: '1000000',
      DRAIN_SECONDS: '1',
    });
    const secret = await addClient(settings, 'house');
    const service = await startService(settings);
    const proxy = await CuttingProxy.start(() => new URL(`http://127.0.0.1:${port}`));
    return new ClientStage(proxy, service, { provider, settings, page, secret });
  }

  get url(): string {
    return this.proxy.url;
  }

  get pageUrl(): string {
    return originOf(this.#parts.page);
  }

  token(name: string, lifeSeconds = 600): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return this.#parts.provider.token({ sub: name, iat: now - 300, exp: now + lifeSeconds });
  }

  machineToken(): Promise<string> {
    return tokenOf(this.#service.url, { id: 'house', secret: this.#parts.secret });
  }

  async arrange(mishap: Mishap): Promise<void> {
    this.proxy.arrange(mishap);
  }

  async calm(): Promise<void> {
    this.proxy.calm();
  }

  async cutAll(): Promise<void> {
    this.proxy.cutAll();
  }

  async count(line: string): Promise<number> {
    return this.proxy.requests.filter((request) => request.startsWith(line)).length;
  }

  async restart(): Promise<void> {
    await this.#service.stop();
    this.#service = await startService(this.#parts.settings);
  }

  async stop(): Promise<void> {
    this.#parts.page.close();
    this.#parts.page.closeAllConnections();
    await this.proxy.stop();
    await this.#parts.provider.stop();
    await this.#service.stop();
  }
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
