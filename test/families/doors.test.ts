import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Answered, Person } from '../people/person.ts';
import { declarationsFolder } from '../support/declared-processes.ts';
import { type DeclaredService, declaredService } from '../support/declared-service.ts';
import { EventStream } from '../support/event-stream.ts';
import { databaseEngines } from '../support/service.ts';

/**
 * The parent is a door: every kind of parent, of record under it, of caller and of verb. Callers have the scope of the parent, lack it,
 * or are machine clients. `rolesIn` says in a few lines what docs/collections.md promises.
 */

type Rule = Readonly<Record<string, string | number | readonly string[]>>;

interface Declaration {
  readonly parent?: { readonly collection: string; readonly owned_by?: 'parent' };
  readonly roles?: Readonly<Record<string, Rule>>;
  readonly states?: object;
  readonly access: {
    readonly read: 'owner' | 'everyone' | readonly string[] | Readonly<Record<string, readonly string[]>>;
    readonly clients?: 'none' | 'own' | 'any';
    readonly scopes?: { readonly read: string };
    readonly create?: string;
    readonly update?: readonly string[];
  };
}

const scopes = { read: 'boxes.read' };
const everybody = ['owner', 'everyone'];
const roles = { member: { invited_by: 'owner' } };
const states = { fresh: { hide: 'hidden' }, hidden: { show: 'fresh' } };

/** Records of `hiding` are moved to the state "hidden". */
const parents: Readonly<Record<string, Declaration>> = {
  scoped: { access: { read: 'everyone', scopes } },
  private: { access: { read: 'owner', scopes } },
  club: { roles, access: { read: ['owner', 'member'], scopes } },
  openclub: { roles, access: { read: everybody, scopes, clients: 'any' } },
  hiding: { states, access: { read: { owner: ['fresh', 'hidden'], everyone: ['fresh'] }, scopes } },
  any: { access: { read: 'everyone', clients: 'any' } },
  anyscoped: { access: { read: 'everyone', clients: 'any', scopes } },
  own: { access: { read: 'everyone', clients: 'own' } },
  // These are under a record themselves.
  below: { parent: { collection: 'scoped' }, access: { read: everybody, clients: 'any' } },
  owned: {
    parent: { collection: 'scoped', owned_by: 'parent' },
    access: { read: ['owner'], clients: 'own' },
  },
  lower: { parent: { collection: 'own' }, access: { read: everybody, scopes, clients: 'own' } },
  shut: { parent: { collection: 'any' }, access: { read: everybody } },
};

/** `write` are the roles that change, delete and act. */
const written = (
  create: string,
  read: Exclude<Declaration['access']['read'], string>,
  write: readonly string[],
  clients: 'own' | 'any' = 'own',
) => ({
  access: { create, read, update: write, delete: write, clients },
  states: { on: { touch: { to: 'on', by: write } } },
  history: true,
  aliases: true,
});

function childrenOf(collection: string, above: Declaration): Readonly<Record<string, Declaration>> {
  const keeper = { parent_roles: ['owner', ...Object.keys(above.roles ?? {})] };
  const parent = { collection };
  const taken = {
    free: { take: { to: 'on', by: 'everyone', grants: 'helper' } },
    on: { touch: { to: 'on', by: ['owner', 'helper'] } },
  };
  const toTake = { owner: ['free', 'on'], helper: ['on'], everyone: ['free'] };
  return {
    [`${collection}-open`]: { parent, ...written('everyone', everybody, ['owner']) },
    [`${collection}-kept`]: {
      parent,
      roles: { keeper },
      ...written('everyone', ['owner', 'keeper'], ['owner', 'keeper']),
    },
    [`${collection}-handed`]: {
      parent: { ...parent, owned_by: 'parent' },
      roles: { keeper },
      ...written('keeper', ['owner'], ['owner']),
    },
    [`${collection}-reached`]: { parent, ...written('everyone', ['owner'], ['owner'], 'any') },
    [`${collection}-taken`]: {
      parent,
      roles: { helper: { max_per_user: 1000 } },
      ...written('everyone', toTake, ['owner', 'helper']),
      states: taken,
    },
    [`${collection}-judged`]: {
      parent,
      roles: { judge: { scope: 'judge' } },
      ...written('judge', ['judge'], ['judge']),
    },
  };
}

const children = Object.assign({}, ...Object.entries(parents).map((one) => childrenOf(...one)));
const declared: Readonly<Record<string, Declaration>> = { ...parents, ...children };
const lineageOf = (name: string): readonly string[] => {
  const above = declared[name]?.parent?.collection;
  return above === undefined ? [name] : [name, ...lineageOf(above)];
};

const folder = declarationsFolder({
  ...Object.fromEntries(
    Object.entries(declared).map(([name, { parent, ...rest }]) => {
      const under = parent === undefined ? {} : { parent: { field: 'up', ...parent } };
      const schema = { properties: { n: { type: 'integer' } } };
      const limits = { per_user: 10_000, writes: '10000/min' };
      return [name, JSON.stringify({ schema, ...under, ...rest, limits })];
    }),
  ),
  marks:
    'schema: { properties: { n: { type: integer } } }\naccess: { clients: own }\nlimits: { writes: 10000/min, per_user: 10000 }\n',
});

/** A caller, and what it is in the records of one family. */
interface Caller {
  readonly name: string;
  readonly person: Person;
  readonly isMachine: boolean;
  readonly scopes: readonly string[];
  readonly owns: ReadonlySet<string>;
  /** Its role by invitation or by an action. */
  readonly joined: string | null;
}

/** True if the collection admits the token: its scope, and its `clients`. */
function admits(name: string, { isMachine, scopes: held }: Caller): boolean {
  const { clients = 'none', scopes: wanted } = declared[name]?.access ?? {};
  return !(isMachine && clients === 'none') && (wanted === undefined || held.includes(wanted.read));
}

/** The roles that read records of the collection, in the state in which these are. */
function readersOf(name: string): readonly string[] {
  const { read, clients } = (declared[name] as Declaration).access;
  const short = { owner: ['owner'], everyone: everybody };
  const listed = typeof read === 'string' ? short[read] : read;
  const readers = Array.isArray(listed)
    ? listed
    : Object.entries(listed).flatMap(([role, allowed]) =>
        allowed.includes('hidden') || allowed.includes('on') ? [role] : [],
      );
  return clients === 'any' ? [...readers, 'client'] : readers;
}

/** The roles of a caller in the record of this collection. Null: the caller cannot read it. */
function readingRoles(name: string, caller: Caller): readonly string[] | null {
  const held = rolesIn(name, caller);
  return admits(name, caller) && held.some((role) => readersOf(name).includes(role)) ? held : null;
}

function rolesIn(name: string, caller: Caller): readonly string[] {
  const { parent, roles: named = {}, access } = declared[name] as Declaration;
  const above = parent === undefined ? [] : readingRoles(parent.collection, caller);
  const isOwner = caller.owns.has(name);
  const kept = [
    ...(isOwner ? ['owner'] : []),
    ...(caller.isMachine && (isOwner || access.clients === 'any') ? ['client'] : []),
  ];
  // The door: only owners, and machine clients with `any`, need not read the parent.
  if (above === null) return kept;
  const isGiven = ([role, rule]: [string, Rule]) =>
    role === caller.joined ||
    (rule.scope !== undefined && caller.scopes.includes(String(rule.scope))) ||
    above.some((one) => [rule.parent_roles].flat().includes(one));
  const given = Object.entries(named).flatMap((one) => (isGiven(one) ? [one[0]] : []));
  // In collections for several people "everyone" is people.
  const isForSeveral = parent !== undefined || typeof access.read !== 'string';
  return [...kept, ...given, ...(caller.isMachine && isForSeveral ? [] : ['everyone'])];
}

/** One record of a child collection, the records above it, and all callers. */
class Family {
  readonly target: DeclaredService;
  readonly child: string;
  readonly callers: readonly Caller[];
  readonly up: string;
  id = '';

  private constructor(target: DeclaredService, child: string, up: string, callers: readonly Caller[]) {
    this.target = target;
    this.child = child;
    this.up = up;
    this.callers = callers;
  }

  static async make(target: DeclaredService, child: string): Promise<Family> {
    const [ada, bob, eve] = [randomUUID(), randomUUID(), randomUUID()];
    const [parent = '', ...higher] = lineageOf(child).slice(1);
    const withScope = 'boxes.read judge';
    const keeper = await Person.of(target, { sub: ada, scope: withScope });
    let up = '';
    for (const name of [...higher.toReversed(), parent]) {
      up = await keeper.make(name, up === '' ? {} : { up });
      if (declared[name]?.states) assert.equal((await keeper.post(`${name}/${up}/hide`)).status, 200);
    }
    const isClub = declared[parent]?.roles !== undefined;
    if (isClub)
      await keeper.invites(
        `${parent}/${up}`,
        'member',
        await Person.of(target, { sub: bob, scope: withScope }),
      );
    // The person who makes the record under it: Bob, if he may.
    const isAdas = declared[child]?.parent?.owned_by === 'parent';
    const isClosed = ['private', 'owned', 'hiding'].includes(parent);
    const maker = isAdas || isClosed ? ada : bob;
    const above = [parent, ...higher];
    const owned = (sub: string) =>
      new Set([...(sub === ada ? above : []), ...(sub === maker ? [child] : [])]);
    const people = [ada, bob, eve].flatMap((sub, index) =>
      [withScope, 'judge'].map(async (scope): Promise<Caller> => {
        const name = `${['ada', 'bob', 'eve'][index]} with ${scope}`;
        const person = await Person.of(target, { sub, scope });
        const facts = { isMachine: false, scopes: scope.split(' '), owns: owned(sub) };
        const joined = sub === eve ? 'helper' : sub === bob && isClub ? 'member' : null;
        return { name, person, ...facts, joined };
      }),
    );
    const machines = (['clerk', 'plain'] as const).map(async (name): Promise<Caller> => {
      const held = clients[name];
      const facts = { isMachine: true, scopes: held, owns: new Set<string>(), joined: null };
      return { name, person: new Person(await target.machine(name)), ...facts };
    });
    return new Family(target, child, up, await Promise.all([...people, ...machines]));
  }

  /** The caller that made the record: with the scope. */
  get maker(): Caller {
    return this.callers.find(
      ({ owns, scopes: held }) => owns.has(this.child) && held.includes('boxes.read'),
    ) as Caller;
  }

  get isOpenToEve(): boolean {
    const parent = lineageOf(this.child)[1] ?? '';
    return this.callers.some((one) => one.name.startsWith('eve') && readingRoles(parent, one) !== null);
  }

  get path(): string {
    return `${this.child}/${this.id}`;
  }

  /** Eve takes what can be taken. */
  async makeRecord(): Promise<string> {
    const id = await this.maker.person.make(this.child, { up: this.up });
    const eve = this.callers.find(({ name }) => name.startsWith('eve'));
    if (this.child.endsWith('-taken'))
      assert.equal((await eve?.person.post(`${this.child}/${id}/take`))?.status, 200);
    return id;
  }
}

const clients = { clerk: ['boxes.read', 'judge'], plain: ['judge'] };

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
async function visitEvents({ child, id, path, callers, up, maker }: Family): Promise<void> {
  const above = lineageOf(child).slice(1);
  const isLive = /-(open|judged)$/.test(child);
  const { next } = (await maker.person.get('events')).body;
  const following = await Promise.all(
    callers.map(async (caller) => {
      const isUnder = !caller.isMachine && readingRoles(String(above[0]), caller) !== null;
      const query = isUnder ? `in=${above[0]}/${up}` : '';
      const stream = isLive ? await EventStream.open(caller.person.caller, { query: `?${query}` }) : null;
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

for (const engine of databaseEngines)
  describe(`the parent is a door, on ${engine}`, () => {
    const target = declaredService(engine, {
      settings: { COLLECTIONS_DIR: folder, NEWCOMERS_PER_HOUR: '1000000' },
      clients,
    });
    for (const [parent, declaration] of Object.entries(parents))
      it(`to records under one of ${parent}`, async () => {
        for (const child of Object.keys(childrenOf(parent, declaration))) {
          const family = await Family.make(target(), child);
          if (child.endsWith('-taken') && !family.isOpenToEve) continue;
          family.id = await family.makeRecord();
          await Promise.all(family.callers.map((caller) => visit(family, caller)));
          await visitReplays(family);
          await visitEvents(family);
        }
      });
  });
