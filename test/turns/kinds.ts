import { Agent } from 'node:http';
import { type DpopKey, newDpopKey, proofBy } from '../support/tokens/dpop.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { type Asked, send } from './send.ts';

const api = '/api/consumer/v1';
const limits = 'limits: { per_user: 20000, bytes: 16384, writes: 1000000/min }';
const texts = 'schema: { required: [text], properties: { text: { type: string, maxLength: 16000 } } }';

export const declarations = {
  notes: `
schema:
  required: [text, title, rank]
  properties:
    text: { type: string, maxLength: 16000 }
    title: { type: string, maxLength: 200 }
    rank: { type: integer }
index: [rank, title]
search: [text, title]
history: true
${limits}`,
  papers: `
${texts}
search: [text]
${limits}`,
  accents: `
${texts}
search: [text]
${limits}`,
  teams: `
schema: { required: [topic], properties: { topic: { type: string, maxLength: 100 } } }
roles: { member: { invited_by: owner, max: 200 } }
access: { read: [owner, member], update: owner, delete: owner }
${limits}`,
  tasks: `
parent: { field: team, collection: teams, on_delete: cascade }
schema: { required: [text], properties: { text: { type: string, maxLength: 1000 } } }
roles: { mate: { parent_roles: [owner, member] } }
access: { create: mate, read: mate, update: mate, delete: mate }
${limits}`,
};

/** A hundred collections: what describes all of them is at its worst. */
export const manyDeclarations = {
  ...Object.fromEntries(Array.from({ length: 95 }, (_, n) => [`more${n}`, declarations.teams])),
  ...declarations,
};

export const settings = {
  READS_PER_MINUTE: '1000000',
  REFUSALS_PER_MINUTE: '1000000',
  NEWCOMERS_PER_HOUR: '0',
};

interface Target {
  readonly url: string;
  /** What DPoP proofs name. */
  readonly baseUrl: string;
  readonly provider: TestProvider;
  readonly client: { readonly id: string; readonly secret: string };
}

/** One caller with much data, another person with one note, and every kind of request at its worst size. */
export class Worst {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #target: Target;
  #token = '';
  #dpopKey: DpopKey = newDpopKey();
  #number = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  ask(asked: Asked) {
    return send(this.#target.url, this.agent, { headers: this.#auth, ...asked }, true);
  }

  /** `share` of the data, for a short form. */
  async fill(share = 1): Promise<{ readonly read: Asked; readonly write: Asked; readonly kinds: Kinds }> {
    const exp = Math.floor(Date.now() / 1000) + 7_200;
    this.#token = await this.#target.provider.token({ sub: 'one caller', exp });
    const of = (count: number) => Math.ceil(count * share);
    await this.#create('notes', of(1_000), (n) => ({
      text: `${n} ${words.repeat(6)}`,
      title: `title ${n}`,
      rank: n,
    }));
    await this.#create('papers', of(1_000), (n) => ({ text: paper(n) }));
    await this.#create('accents', of(120), (n) => ({ text: hardTexts[n % hardTexts.length] }));
    const papers = await this.#ids('papers');
    const [busy = ''] = await this.#ids('notes');
    for (let n = 0; n < of(300); n += 1) await this.#json('PATCH', `/notes/${busy}`, { rank: n });
    const { id: team } = await this.#json('POST', '/teams', { topic: 'team' });
    await this.#create('tasks', of(500), (n) => ({ team, text: `${n} ${words}` }));
    const codes: string[] = [];
    for (let n = 0; n < 50; n += 1)
      codes.push((await this.#json('POST', `/teams/${team}/invitations`, { role: 'member' })).code);
    for (const code of codes.slice(0, 30)) {
      const headers = bearer(await this.#target.provider.token({ sub: code, exp }));
      await this.ask({ ...posting('/invitations', { code }), headers });
    }
    const jkt = this.#dpopKey.thumbprint;
    const bound = await this.#target.provider.token({ sub: 'one caller', exp, cnf: { jkt } });
    const spare = await Promise.all(
      Array.from({ length: 300 }, () => this.#target.provider.token({ sub: 'one caller', exp })),
    );
    const leaving = await this.#target.provider.token({ sub: 'leaving', exp });
    const other = bearer(await this.#target.provider.token({ sub: 'another person', exp }));
    const note = await this.#json('POST', '/notes', { text: 'small', title: 'small', rank: 0 }, other);
    const path = `${api}/notes/${note.id}`;
    return {
      read: { path, headers: other },
      write: { method: 'PATCH', path, headers: other, body: '{"rank":1}' },
      kinds: this.#kinds({ papers, busy, team, code: String(codes.at(-1)), bound, spare, leaving }),
    };
  }

  get #auth() {
    return bearer(this.#token);
  }

  /** Waits for the keys of the provider, which come with the first token. */
  async #json(method: string, path: string, body: object, headers = this.#auth) {
    const asked = { method, path: api + path, headers, body: JSON.stringify(body) };
    for (let attempt = 1; ; attempt += 1) {
      const { status, text } = await this.ask(asked);
      if (status >= 200 && status < 300) return JSON.parse(text);
      if (attempt === 100) throw new Error(`${method} ${path}: ${status} ${text}`);
    }
  }

  async #create(name: string, count: number, fieldsOf: (n: number) => object): Promise<void> {
    for (let from = 0; from < count; from += 50) {
      const operations = Array.from({ length: Math.min(50, count - from) }, (_, n) => {
        return { create: name, fields: fieldsOf(from + n) };
      });
      await this.#json('POST', '/batch', { operations });
    }
  }

  async #ids(name: string): Promise<string[]> {
    const { text } = await this.ask({ path: `${api}/${name}?mine=true&limit=50` });
    return JSON.parse(text).items.map(({ id }: { id: string }) => id);
  }

  #next(count: number): number {
    this.#number += 1;
    return this.#number % count;
  }

  #kinds({ papers, busy, team, code, bound, spare, leaving }: Known): Kinds {
    const auth = this.#auth;
    const get = (path: string, headers = auth) => ({ path: api + path, headers });
    const mine = (path: string) => () => get(`${path}${path.includes('?') ? '&' : '?'}mine=true`);
    const fixed = (path: string, given: object | string, method = 'POST') => {
      const body = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
      return () => ({ method, path: api + path, headers: auth, body });
    };
    const open = (path: string, headers = {}) => ({ path, headers });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { id, secret } = this.#target.client;
    const grant = (password: string) => ({
      method: 'POST',
      path: '/token',
      headers: { ...form, authorization: `Basic ${btoa(`${id}:${password}`)}` },
      body: 'grant_type=client_credentials',
    });
    const largest = { text: paper(0) };
    const me = `${this.#target.baseUrl}${api}/me`;
    const stream = { ...auth, accept: 'text/event-stream' };
    const garbage = () => `${this.#token.slice(0, -8)}${String(this.#next(1e8)).padStart(8, 'A')}`;
    const batch = (operations: unknown) => fixed('/batch', { operations });
    return {
      'GET a record of 16 kB': () => get(`/papers/${papers[0]}`),
      'list of 200 small records': mine('/notes?limit=200'),
      'list of 1 MiB': mine('/papers?limit=200'),
      'list of 1 MiB, not read, closed after 1 s': () => ({
        ...get('/papers?mine=true&limit=200'),
        isRead: false,
        cutAfterMs: 1_000,
      }),
      'list, filter that finds nothing': mine('/notes?limit=200&rank[gte]=1&title=none'),
      'list, sorted by a text': mine('/notes?limit=200&sort=-title'),
      'list of 200 under a parent': () => get(`/tasks?team=${team}&limit=200`),
      'list q=, small records, no match': mine('/notes?q=zzzz+wordz'),
      'list q=, 16 kB, no match': mine('/papers?q=plain+parti+zz'),
      'list q=, hard texts': mine(`/accents?q=${encodeURIComponent('éé zz')}`),
      'list q=, hard texts, many parts': mine(`/accents?q=${manyParts}`),
      'count of own records': mine('/notes/count'),
      'count with a filter': mine('/notes/count?rank[gte]=5&title[gt]=title'),
      'count q=, hard texts': mine(`/accents/count?q=${encodeURIComponent('bb éé')}`),
      'export of 17 MB': () => get('/me/export'),
      'export, not read, closed after 1 s': () => ({
        ...get('/me/export'),
        isRead: false,
        cutAfterMs: 1_000,
      }),
      'history of 300 entries': () => get(`/notes/${busy}/history?limit=200`),
      'GET /me': () => get('/me'),
      'GET /me, 300 tokens': () => get('/me', bearer(String(spare[this.#next(300)]))),
      'GET /me, DPoP': () => {
        const proof = proofBy(this.#dpopKey, { method: 'GET', url: me, token: bound });
        return get('/me', { authorization: `DPoP ${bound}`, dpop: proof } as never);
      },
      usage: () => get('/me/usage'),
      'events, page of 100': () => get('/events?after=0'),
      'events, long poll of 1 s': () => get('/events?wait=1'),
      'events, stream opened and closed': () => ({ ...get('/events?after=0', stream), cutAfterMs: 20 }),
      'POST of 16 kB': fixed('/papers', largest),
      'POST of 64 kB, too large': fixed('/papers', { text: 'x'.repeat(65_000) }),
      'POST of 64 kB, 5,000 unknown members': fixed('/papers', members(5_000)),
      'POST of 64 kB, deep JSON': fixed('/papers', `{"a":[${Array(520).fill(nested).join()}]}`),
      'POST, a name of 12,000 marks': fixed('/papers', `{"${marks}":1}`),
      'PUT of 16 kB': () => fixed(`/papers/${papers[this.#next(50)]}`, largest, 'PUT')(),
      'batch of 50 changes of 16 kB': batch(
        papers.map((one) => ({ update: 'papers', id: one, fields: largest })),
      ),
      'batch of 50 small changes': batch(
        papers.map((one) => ({ update: 'papers', id: one, fields: { text: 'small' } })),
      ),
      'batch, 75,000 unknown members': batch([{ create: 'papers', fields: JSON.parse(members(75_000, '')) }]),
      'batch, 500,000 numbers': batch([{ create: 'papers', fields: { a: Array(500_000).fill(1) } }]),
      'batch of 1 MiB, deep JSON': fixed('/batch', `{"operations":[${Array(8_500).fill(nested).join()}]}`),
      'invitations, list of 50': () => get(`/teams/${team}/invitations`),
      'members, list of 30': () => get(`/teams/${team}/members?limit=200`),
      'invitation, a look at it': fixed('/invitations/preview', { code }),
      'invitation, a good code': fixed('/invitations', { code }),
      'invitation, wrong code': fixed('/invitations', { code: 'abcdefghijklmnopqrstuv' }),
      'DELETE /me': () => ({ method: 'DELETE', ...get('/me', bearer(leaving)) }),
      '400: unknown parameter': mine('/notes?nothing=1'),
      '400: q of 1,700 letters with marks': mine(`/notes?q=a${encodeURIComponent(marks.slice(0, 1_700))}`),
      '400: cursor of 4,000 characters': mine(`/notes?cursor=${'A'.repeat(4_000)}.${'A'.repeat(43)}`),
      '400: POST of 64 kB that is not JSON': fixed('/papers', '"'.repeat(65_000)),
      '404: unknown record': () => get('/notes/00000000000000000000000000'),
      'without a token: openapi.json': () => open('/openapi.json'),
      'without a token: docs': () => open('/docs'),
      'without a token: metadata': () => open('/.well-known/oauth-authorization-server'),
      'without a token: overview': () => open(api),
      'without a token: 404': () => open('/nothing/here'),
      'without a token: GET /me': () => open(`${api}/me`),
      'without a token: GET /me, garbage': () => open(`${api}/me`, bearer('garbage')),
      'without a token: GET /me, false signature': () => open(`${api}/me`, bearer(garbage())),
      'without a token: export': () => open(`${api}/me/export`),
      'POST /token': () => grant(secret),
      'POST /token, wrong secret': () => grant('wrong'),
      'POST /token, 64 kB of brackets': () => ({
        ...grant(secret),
        headers: {},
        body: `{"a":[${Array(520).fill(nested).join()}]}`,
      }),
      'POST /token, a name of 12,000 marks': () => ({
        ...grant(secret),
        headers: {},
        body: `{"${marks}":1}`,
      }),
    };
  }
}

type Kinds = Readonly<Record<string, () => Asked>>;

interface Known {
  readonly papers: readonly string[];
  readonly busy: string;
  readonly team: string;
  readonly code: string;
  readonly bound: string;
  readonly spare: readonly string[];
  readonly leaving: string;
}

const words = 'plain words about nothing in particular ';
const paper = (n: number) => `${n} ${words.repeat(400)}`.slice(0, 15_900);
/** Texts that are expensive to fold. */
const hardTexts = [
  '\uFDFA'.repeat(5_300),
  'a\u0301\u0316'.repeat(3_100),
  'é à ü ñ ç '.repeat(1_000),
  'b c d e f é '.repeat(1_200),
];
const manyParts = ['bcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnopqrstuvwxyz012345']
  .map((text) => [...text].join('-'))
  .join('+');
const marks = '\u0301\u0316'.repeat(6_000);
const nested = `${'['.repeat(60)}${']'.repeat(60)}`;
const members = (count: number, prefix = 'm') =>
  `{${Array.from({ length: count }, (_, n) => `"${prefix}${n.toString(36)}":1`).join()}}`;

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function posting(path: string, body: object): Asked {
  return { method: 'POST', path: api + path, body: JSON.stringify(body) };
}
