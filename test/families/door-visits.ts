import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import type { Answered } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import type { DatabaseEngine } from '../support/services/service.ts';
import {
  admits,
  type Caller,
  childrenOf,
  clients,
  type Declaration,
  declared,
  Family,
  folder,
  lineageOf,
  parents,
  readersOf,
  readingRoles,
  rolesIn,
} from './doors.ts';

/**
 * The parent is a door: every kind of parent, of record under it, of caller and of verb. Callers have the scope of the parent, lack it,
 * or are machine clients.
 */

/** The status of a change, and that of the same change in a batch. */
const inBatch = async (answer: Promise<Answered>): Promise<number> => {
  const { status, body } = await answer;
  return status === 200 ? body.results[0].status : body.problem.status;
};

async function visit(family: Family, caller: Caller): Promise<void> {
  const { child, path, id, up } = family;
  const { person } = caller;
  const what = (verb: string) => `${child}: ${caller.name}, ${verb}`;
  const held = rolesIn(child, caller);
  const reads = readingRoles(child, caller) !== null;
  const [parent = ''] = lineageOf(child).slice(1);
  const readsParent = readingRoles(parent, caller) !== null;
  const isOpen = readsParent || held.includes('client');
  const { create: by = '', update = [], clients: clientReach } = (declared[child] as Declaration).access;
  const acts = held.some((role) => update.includes(role));
  const writes = acts || (clientReach === 'any' && held.includes('client'));
  const seen = (status: number) => (reads ? status : 404);
  const changed = (status: number) => seen(writes ? status : 403);
  const mayCreate = by === 'everyone' || held.includes(by);
  const created = isOpen ? (mayCreate ? 201 : 403) : 422;
  const statuses: Readonly<Record<string, readonly [number, number]>> = {
    read: [(await person.get(path)).status, seen(200)],
    history: [(await person.get(`${path}/history`)).status, seen(200)],
    ...(child.endsWith('-taken')
      ? { members: [(await person.get(`${path}/members`)).status, seen(200)] as const }
      : {}),
    'list under the parent': [(await person.get(`${child}?up=${up}`)).status, isOpen ? 200 : 404],
    'count under the parent': [(await person.get(`${child}/count?up=${up}`)).status, isOpen ? 200 : 404],
    'events under the parent': [
      (await person.get(`events?in=${parent}/${up}`)).status,
      admits(parent, caller) ? (readsParent ? 200 : 404) : 403,
    ],
    patch: [(await person.patch(path, { n: 1 })).status, changed(200)],
    put: [(await person.put(path, { up, n: 2 })).status, changed(200)],
    action: [(await person.post(`${path}/touch`)).status, seen(acts ? 200 : 403)],
    'patch in a batch': [
      await inBatch(person.post('batch', { operations: [{ update: child, id, fields: { n: 3 } }] })),
      changed(200),
    ],
    create: [(await person.post(child, { up })).status, created],
    'create by PUT': [
      (await person.send('PUT', `${child}/${randomUUID()}`, { up }, { 'if-none-match': '*' })).status,
      created,
    ],
    'create in a batch': [
      await inBatch(person.post('batch', { operations: [{ create: child, fields: { up } }] })),
      created,
    ],
  };
  for (const [verb, [actual, expected]] of Object.entries(statuses))
    assert.equal(actual, expected, what(verb));
  // What may be deleted is another record.
  const deleted = await person.delete(reads && writes ? `${child}/${await family.makeRecord()}` : path);
  assert.equal(deleted.status, changed(204), what('delete'));
  for (const query of [`?up=${up}&limit=200`, '?limit=200']) {
    const { status, body } = await person.get(`${child}${query}`);
    const isListed = status === 200 && body.items.some((one: { id: string }) => one.id === id);
    if (!reads) assert.equal(isListed, false, what(query));
    else if (query.includes('up=')) assert.equal(isListed, isOpen, what(query));
  }
}

/** What a token without the scope gets of what the same person has made with it. */
async function visitReplays({ child, callers, up }: Family): Promise<void> {
  const people = callers.filter(({ isMachine }) => !isMachine);
  for (const [index, maker] of people.entries()) {
    const later = people[index + 1];
    if (index % 2 === 1 || later === undefined) continue;
    const isParents = declared[child]?.parent?.owned_by === 'parent';
    const owns = new Set([...later.owns].filter((name) => name !== child || isParents));
    const now = { ...later, owns: isParents ? owns : owns.add(child) };
    const reads = readingRoles(child, now) !== null;
    const isOpen = readingRoles(lineageOf(child)[1] ?? '', now) !== null;
    const key = { 'idempotency-key': randomUUID() };
    const create = ({ person }: Caller) => person.send('POST', child, { up }, key);
    const batch = ({ person }: Caller) =>
      person.send('POST', 'batch', { operations: [{ create: child, fields: { up } }] }, key);
    const what = `${child}: ${maker.name} repeats without the scope`;
    if ((await create(maker)).status !== 201) continue;
    const again = await create(later);
    assert.equal(again.status === 201, reads || isOpen, `${what}: ${JSON.stringify(again.body)}`);
    if (again.status !== 201) assert.equal(again.body.code, 'idempotency_record_gone', what);
    assert.equal((await batch(maker)).status, 200);
    assert.equal('record' in (await batch(later)).body.results[0], reads, `${what}, in a batch`);
  }
}

/** Each caller hears of a change, on a stream or in a page, only if it reads the record. */
async function visitEvents(
  { child, id, path, callers, up, maker }: Family,
  hasStreams: boolean,
): Promise<void> {
  const above = lineageOf(child).slice(1);
  const { next } = (await maker.person.get('events')).body;
  const following = await Promise.all(
    callers.map(async (caller) => {
      const isUnder = !caller.isMachine && readingRoles(String(above[0]), caller) !== null;
      const query = isUnder ? `in=${above[0]}/${up}` : '';
      const stream = hasStreams ? await EventStream.open(caller.person.caller, { query: `?${query}` }) : null;
      return { caller, isUnder, query, stream };
    }),
  );
  assert.equal((await maker.person.patch(path, { n: 7 })).status, 200);
  for (const { caller, isUnder, query, stream } of following) {
    const { items } = (await caller.person.get(`events?after=${next}&${query}`)).body;
    const isHeard = items.some(({ data }: { data: { id: string } }) => data.id === id);
    const roles = (readingRoles(child, caller) ?? []).filter((role) => readersOf(child).includes(role));
    const what = `${child}: what ${caller.name} hears, as ${roles}`;
    // Events of what everyone reads, and of roles by a scope, need a parent that everyone reads.
    const isPublic = above.every((name) => admits(name, caller) && readersOf(name).includes('everyone'));
    const isDue = (role: string) =>
      role === 'everyone' ? isUnder && isPublic : role !== 'judge' || isPublic;
    if (roles.length === 0 || roles.some(isDue)) assert.equal(isHeard, roles.length > 0, what);
    if (stream === null) continue;
    const mark = await caller.person.make('marks', {});
    await stream.until((all) => all.some(({ data }) => data.data?.id === mark), 'the mark does not come');
    stream.close();
    assert.equal(
      stream.events.some(({ data }) => data.data.id === id),
      isHeard,
      `${what} on a stream`,
    );
  }
}

interface Visited {
  /** So many kinds of records under each parent: others under the next. */
  readonly childrenOfEach: number;
  /** Opens a stream for each caller. */
  readonly hasStreams: boolean;
}

export function describeDoors(engine: DatabaseEngine, { childrenOfEach, hasStreams }: Visited): void {
  describe(`the parent is a door, on ${engine}`, () => {
    const target = deployment({
      engine,
      declarations: folder,
      settings: { NEWCOMERS_PER_HOUR: '1000000' },
      clients,
    });
    for (const [index, [parent, declaration]] of Object.entries(parents).entries())
      it(`to records under one of ${parent}`, async () => {
        const children = Object.keys(childrenOf(parent, declaration));
        const first = (index * childrenOfEach) % children.length;
        for (const child of [...children, ...children].slice(first, first + childrenOfEach)) {
          const family = await Family.make(target(), child);
          if (child.endsWith('-taken') && !family.isOpenToEve) continue;
          family.id = await family.makeRecord();
          await Promise.all(family.callers.map((caller) => visit(family, caller)));
          await visitReplays(family);
          await visitEvents(family, hasStreams);
        }
      });
  });
}
