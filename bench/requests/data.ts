import type { Request } from '../shared/load.ts';
import { mePath } from '../shared/stage.ts';

const api = '/api/consumer/v1';
/** Limits are so high that no request is refused. */
const limits = 'limits: { per_user: 1000000, bytes: 16384, writes: 1000000/s }';

export const declarations: Readonly<Record<string, string>> = {
  notes: `
schema:
  required: [title, rank]
  properties:
    title: { type: string, maxLength: 400 }
    rank: { type: integer }
index: [rank]
search: [title]
history: true
${limits}`,
  papers: `
schema: { required: [text], properties: { text: { type: string, maxLength: 16000 } } }
${limits}`,
  circles: `
schema: { required: [title], properties: { title: { type: string, maxLength: 80 } } }
roles: { member: { invited_by: owner, max: 100 } }
access: { read: [owner, member], update: owner, delete: owner }
${limits}`,
  entries: `
schema: { required: [text], properties: { text: { type: string, maxLength: 400 } } }
parent: { field: circle, collection: circles, on_delete: cascade, counts: [open, closed] }
states:
  open: { close: { to: closed, by: keeper } }
  closed: {}
roles: { keeper: { parent_roles: [owner] } }
access: { create: keeper, read: keeper, update: keeper, delete: keeper }
${limits}`,
};

/** What a caller owns before the measurement. */
export interface Owned {
  readonly token: string;
  readonly notes: readonly string[];
  readonly papers: readonly string[];
  readonly circle: string;
}

export const sentence = 'a word and another '.repeat(15);
export const note = (rank: number) => ({ title: sentence, rank });
export const entry = (circle: string) => ({ circle, text: sentence });
export const paper = { text: 'plain words about nothing '.repeat(600) };

/** A request of each kind by one caller. */
export const kinds: Readonly<Record<string, (owned: Owned) => Request>> = {
  'GET /me': ({ token }) => get(mePath, token),
  'one record': ({ token, notes }) => get(`${api}/notes/${notes[0]}`, token),
  'one record of 16 kB': ({ token, papers }) => get(`${api}/papers/${papers[0]}`, token),
  'a page of 50': ({ token }) => get(`${api}/notes?sort=rank&rank[gte]=10&limit=50`, token),
  'a search of 200 records': ({ token }) => get(`${api}/notes?q=word%20zzz`, token),
  'a count': ({ token }) => get(`${api}/notes/count?rank[gte]=5`, token),
  'an export of 200 records': ({ token }) => get(`${mePath}/export`, token),
  history: ({ token, notes }) => get(`${api}/notes/${notes[0]}/history`, token),
  usage: ({ token }) => get(`${mePath}/usage`, token),
  'a page of events': ({ token }) => get(`${api}/events?after=0`, token),
  'the list under a parent': ({ token, circle }) => get(`${api}/entries?circle=${circle}&limit=50`, token),
  members: ({ token, circle }) => get(`${api}/circles/${circle}/members`, token),
  'POST a record': ({ token }) => post('/notes', token, note(1)),
  'POST a record of 16 kB': ({ token }) => post('/papers', token, paper),
  'POST under a parent': ({ token, circle }) => post('/entries', token, entry(circle)),
  'a batch of 2': ({ token, notes }) => post('/batch', token, changes(notes.slice(2, 4))),
  'a batch of 50': ({ token, notes }) => post('/batch', token, changes(notes.slice(4, 54))),
};

function changes(ids: readonly string[]) {
  return { operations: ids.map((id) => ({ update: 'notes', id, fields: { rank: 3 } })) };
}

function get(path: string, token: string): Request {
  return { method: 'GET', path, token };
}

function post(path: string, token: string, body: object): Request {
  return { method: 'POST', path: `${api}${path}`, token, body: JSON.stringify(body) };
}
