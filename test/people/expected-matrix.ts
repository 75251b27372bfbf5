import { readYaml } from '../../src/base/yaml/yaml-text.ts';

/** The access that a declaration describes, read for these tests alone: they must not learn it from the code under test. */
export interface Expected {
  readonly name: string;
  readonly fields: Schema;
  readonly states: readonly State[];
  readonly actions: ReadonlyMap<State, Readonly<Record<string, Action>>>;
  /** How each role is obtained: built in, invited, granted, scope or parent. */
  readonly origins: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, string>>;
  readonly clients: 'none' | 'own' | 'any';
  readonly creators: readonly string[];
  readonly hasFullEvents: boolean;
  readonly hasHistory: boolean;
  readonly needsVersion: boolean;
  readonly rows: readonly Row[];
  /** Null for a collection without a parent. */
  readonly family: Family | null;
  /** Whether a caller with this role, and no other, may do it in this state. */
  may(role: string, verb: string, state: State | undefined): boolean;
  /** The same for the person of a cast, who also has the role that was needed to get this one. */
  personMay(role: string, verb: string, state: State | undefined, situation?: Situation): boolean;
}

/** How a record is under another. */
export interface Family {
  readonly field: string;
  readonly parent: Expected;
  /** The states of the parent in which records are created; null: all. */
  readonly accepts: readonly State[] | null;
  readonly isParents: boolean;
  /** The state of records that find no place. */
  readonly overflow: string | null;
  /** Whether the person of a role can read the parent. */
  reads(role: string, above?: State): boolean;
  /** What the person of a role is in the parent. */
  roleAbove(role: string): string;
  /** The role that the person of a role needed to get it: of who creates, or takes the action; null: none. */
  neededFor(role: string): string | null;
}

/** Where a person finds a record. */
export interface Situation {
  /** The state of the parent; missing: the first one in which records are created. */
  readonly above?: State | undefined;
  /** The roles by action that a person has now; missing: all. */
  readonly held?: readonly string[];
}

export type State = string | null;

export interface Row {
  readonly role: string;
  readonly verb: string;
  readonly states: readonly State[];
}

export interface Action {
  readonly to: string;
  readonly by: readonly string[];
  readonly sets: readonly string[];
  readonly grants: string | null;
  readonly isChosen: boolean;
  readonly whileAccepted: boolean;
  readonly revokes: readonly string[];
}

export interface Schema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a file has
type Yaml = any;

/** One for each declaration. */
export function readAllExpected(declarations: Readonly<Record<string, string>>): readonly Expected[] {
  const known = new Map<string, Expected>();
  const read = (name: string): Expected => {
    const expected = known.get(name) ?? readExpected(name, String(declarations[name]), read);
    known.set(name, expected);
    return expected;
  };
  return Object.keys(declarations).map(read);
}

function readExpected(name: string, text: string, find: (name: string) => Expected): Expected {
  const file: Yaml = readYaml(text).data;
  const { states: declared, roles = {}, access = {} } = file;
  const states: readonly State[] = declared === undefined ? [null] : Object.keys(declared);
  const actions = new Map(
    states.map((state) => [state, toActions(state === null ? {} : (declared[state] ?? {}))]),
  );
  const names = Object.keys(roles).filter((role) => role !== 'owner');
  const origins = Object.fromEntries(names.map((role) => [role, originOf(roles[role] ?? {})]));
  const { clients = 'none', create = 'everyone' } = access;
  const creators = [create].flat();
  const family = file.parent === undefined ? null : toFamily(file, { creators, actions, find });
  const all = ['owner', ...names, ...(clients === 'none' ? [] : ['client']), 'everyone'];
  const inviters = (to: string) => [roles[to]?.invited_by ?? []].flat();

  /** In a shared collection "everyone" is people. */
  const held = (role: string): readonly string[] => {
    if (role === 'client') return clients === 'own' ? ['owner', 'client'] : ['client'];
    if (role === 'everyone') return [role];
    const isParents = origins[role] === 'parent' || (role === 'owner' && family?.isParents);
    return [role, ...(isParents ? givenBy(roles, String(family?.roleAbove(role))) : []), 'everyone'];
  };
  const tables: Readonly<Record<string, Yaml>> = {
    read: withClients(access.read ?? 'owner'),
    update: withClients(access.update ?? { owner: file.editable ?? 'all' }),
    delete: withClients(access.delete ?? 'owner'),
  };
  function withClients(who: Yaml): ReadonlyMap<string, Yaml> {
    const isTable = typeof who === 'object' && !Array.isArray(who);
    const listed = [who].flat().filter((role) => role !== 'nobody');
    const table = new Map<string, Yaml>(
      isTable ? Object.entries(who) : listed.map((role) => [role, 'all'] as const),
    );
    if (clients === 'any' && !table.has('client')) table.set('client', 'all');
    return table;
  }
  const isBeforeRecords = (role: string) =>
    role === 'everyone' || role === 'client' || ['scope', 'parent'].includes(String(origins[role]));
  const allows = (all: readonly string[], verb: string, state: State | undefined): boolean => {
    if (state === undefined) return false;
    if (verb === 'create')
      return state === states[0] && ['everyone', ...all].some((one) => creators.includes(one));
    const table = tables[verb];
    if (table !== undefined)
      return all.some((one) => table.get(one) === 'all' || table.get(one)?.includes(state));
    if (verb.startsWith('invite '))
      return !all.includes('client') && inviters(verb.slice(7)).some((one) => all.includes(one));
    const action = actions.get(state)?.[verb];
    if (action === undefined) return false;
    const isMaker = all.includes('owner') && !family?.isParents;
    if (action.grants !== null && !action.isChosen && (isMaker || all.includes('client'))) return false;
    return action.by.some((one) => all.includes(one));
  };
  const may = (role: string, verb: string, state: State | undefined) =>
    (verb !== 'create' || isBeforeRecords(role)) && allows(held(role), verb, state);
  const personMay: Expected['personMay'] = (role, verb, state, { above, held: now } = {}) => {
    if (family === null) return may(role, verb, state);
    // The parent is a door for all but the owner.
    if (!family.reads(role, above)) return role === 'owner' && allows(['owner'], verb, state);
    const isHeld = origins[role] !== 'granted' || now === undefined || now.includes(role);
    const needed = family.neededFor(role);
    const all = [...(isHeld ? held(role) : ['everyone']), ...(needed === null ? [] : held(needed))];
    return allows(all, verb, state);
  };
  const actionNames = [...new Set([...actions.values()].flatMap((of) => Object.keys(of)))];
  const invitations = ['owner', ...names].filter((to) => inviters(to).length > 0);
  const rows = all.flatMap((role) => {
    const verbs = [
      ...(isBeforeRecords(role) ? ['create'] : []),
      ...Object.keys(tables),
      ...actionNames,
      ...invitations.map((to) => `invite ${to}`),
    ];
    return verbs.map((verb) => ({ role, verb, states: states.filter((state) => may(role, verb, state)) }));
  });
  return {
    name,
    fields: file.schema,
    states,
    actions,
    origins: { ...origins, owner: 'built in', everyone: 'built in', client: 'built in' },
    scopes: Object.fromEntries(names.map((role) => [role, roles[role]?.scope ?? ''])),
    clients,
    creators,
    hasHistory: file.history === true,
    hasFullEvents: file.events === 'full',
    needsVersion: file.concurrency === 'required',
    rows,
    family,
    may,
    personMay,
  };
}

/** The roles that a role in the parent gives. */
function givenBy(roles: Yaml, above: string): readonly string[] {
  return Object.keys(roles).filter((role) => [roles[role]?.parent_roles ?? []].flat().includes(above));
}

function toFamily(
  { parent: declared, roles = {} }: Yaml,
  { creators, actions, find }: Pick<Expected, 'creators' | 'actions'> & { find: (name: string) => Expected },
): Family {
  const { field, collection, accepts, owned_by, capacity } = declared;
  const parent = find(collection);
  const isParents = owned_by === 'parent';
  const neededFor = (role: string): string | null => {
    if (role === 'owner') return isParents || creators.includes('everyone') ? null : String(creators[0]);
    const taking = [...actions.values()].flatMap((of) => Object.values(of));
    const { by = [] } = taking.find(({ grants, isChosen }) => grants === role && !isChosen) ?? {};
    return by.find((one) => roles[one]?.parent_roles !== undefined) ?? null;
  };
  const roleAbove = (role: string): string => {
    if (role === 'owner' && isParents) return 'owner';
    const needed = neededFor(role);
    if (needed !== null) return roleAbove(needed);
    const { parent_roles: above, scope } = roles[role] ?? {};
    if (scope !== undefined)
      return Object.keys(parent.scopes).find((one) => parent.scopes[one] === scope) ?? 'everyone';
    // Of several, the one that gives the fewest; the owner last, who could have more.
    const cost = (one: string) => 2 * givenBy(roles, one).length + (one === 'owner' ? 1 : 0);
    const [first = 'everyone'] = [above ?? []]
      .flat()
      .toSorted((one: string, other: string) => cost(one) - cost(other));
    return first;
  };
  const accepted: readonly State[] | null = accepts?.states ?? null;
  const first = parent.states.find((state) => accepted === null || accepted.includes(state));
  const reads = (role: string, above = first) => parent.personMay(roleAbove(role), 'read', above);
  const overflow = capacity?.overflow ?? null;
  return { field, parent, accepts: accepted, isParents, overflow, reads, roleAbove, neededFor };
}

function originOf({ invited_by, scope, parent_roles }: Yaml): string {
  if (parent_roles !== undefined) return 'parent';
  if (scope !== undefined) return 'scope';
  return invited_by === undefined ? 'granted' : 'invited';
}

function toActions(declared: Yaml): Readonly<Record<string, Action>> {
  const actions = Object.entries(declared).map(([name, written]: [string, Yaml]) => {
    const {
      to,
      by = 'owner',
      sets = [],
      grants = null,
      revokes = [],
      chosen_from: chosenFrom,
      while_parent_accepts: whileAccepted = false,
    } = typeof written === 'string' ? ({ to: written } as Yaml) : written;
    const takers = by === 'any' ? ['owner', 'client'] : [by].flat();
    const isChosen = chosenFrom !== undefined;
    return [
      name,
      { to, by: takers, sets, grants, isChosen, whileAccepted, revokes: [revokes].flat() },
    ] as const;
  });
  return Object.fromEntries(actions);
}

/** A value that fits a property; another one for each number. */
export function sampleOf({ properties }: Schema, name: string, n = 1): unknown {
  const { type, format, enum: values, items } = properties[name.replace(/\?$/, '')] as Yaml;
  if (values !== undefined) return values[n % values.length];
  if (format === 'date') return `2999-12-0${n}`;
  if (format === 'date-time') return `2999-12-0${n}T08:00:00.000Z`;
  if (type === 'integer' || type === 'number') return n;
  if (type === 'boolean') return n % 2 === 0;
  if (type === 'array') return [sampleOf({ properties: { item: items } }, 'item', n)];
  return `sample ${n}`;
}
