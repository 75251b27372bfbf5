import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Person } from '../support/people/person.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import type { Deployment } from '../support/services/deployment.ts';

/** The parents, records and callers of door-visits, and what docs/collections.md promises them: `rolesIn`. */

type Rule = Readonly<Record<string, string | number | readonly string[]>>;

export interface Declaration {
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
export const parents: Readonly<Record<string, Declaration>> = {
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

export function childrenOf(collection: string, above: Declaration): Readonly<Record<string, Declaration>> {
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
export const declared: Readonly<Record<string, Declaration>> = { ...parents, ...children };
export const lineageOf = (name: string): readonly string[] => {
  const above = declared[name]?.parent?.collection;
  return above === undefined ? [name] : [name, ...lineageOf(above)];
};

export const folder = declarationsFolder({
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
export interface Caller {
  readonly name: string;
  readonly person: Person;
  readonly isMachine: boolean;
  readonly scopes: readonly string[];
  readonly owns: ReadonlySet<string>;
  /** Its role by invitation or by an action. */
  readonly joined: string | null;
}

/** True if the collection admits the token: its scope, and its `clients`. */
export function admits(name: string, { isMachine, scopes: held }: Caller): boolean {
  const { clients = 'none', scopes: wanted } = declared[name]?.access ?? {};
  return !(isMachine && clients === 'none') && (wanted === undefined || held.includes(wanted.read));
}

/** The roles that read records of the collection, in the state in which these are. */
export function readersOf(name: string): readonly string[] {
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
export function readingRoles(name: string, caller: Caller): readonly string[] | null {
  const held = rolesIn(name, caller);
  return admits(name, caller) && held.some((role) => readersOf(name).includes(role)) ? held : null;
}

export function rolesIn(name: string, caller: Caller): readonly string[] {
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
export class Family {
  readonly target: Deployment;
  readonly child: string;
  readonly callers: readonly Caller[];
  readonly up: string;
  id = '';

  private constructor(target: Deployment, child: string, up: string, callers: readonly Caller[]) {
    this.target = target;
    this.child = child;
    this.up = up;
    this.callers = callers;
  }

  static async make(target: Deployment, child: string): Promise<Family> {
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

export const clients = { clerk: ['boxes.read', 'judge'], plain: ['judge'] };
