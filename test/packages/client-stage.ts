import { serveDocuments } from '../support/http/document-server.ts';
import { Deployment } from '../support/services/deployment.ts';
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

/** A service with collections behind a proxy that cuts, and a page on another origin that may call it. */
export async function startClientStage() {
  const page = await serveDocuments(
    () => ({}),
    (_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
      return 'answered';
    },
  );
  const running = await Deployment.start({
    declarations,
    settings: { CORS_ORIGINS: page.origin, DRAIN_SECONDS: '1' },
    clients: { house: [] },
  });
  const proxy = await CuttingProxy.start(() => new URL(running.service.url));
  const stage: Stage = {
    token(name, lifeSeconds = 600) {
      const now = Math.floor(Date.now() / 1000);
      return running.provider.token({ sub: name, iat: now - 300, exp: now + lifeSeconds });
    },
    machineToken: async () => (await running.machine('house')).token,
    arrange: async (mishap) => proxy.arrange(mishap),
    calm: async () => proxy.calm(),
    cutAll: async () => proxy.cutAll(),
    count: async (line) => proxy.requests.filter((request) => request.startsWith(line)).length,
    restart: () => running.restart(),
  };
  return {
    ...stage,
    proxy,
    url: proxy.url,
    pageUrl: page.origin,
    ask: (command: StageCommand, values: never[]) =>
      (stage[command] as (...given: never[]) => Promise<unknown>)(...values),
    async stop() {
      page.stop();
      await proxy.stop();
      await running.stop();
    },
  };
}
