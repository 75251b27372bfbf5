import { readYaml } from '../../src/base/yaml/yaml-text.ts';

/** What a declaration says about access, read for these tests alone: they must not learn it from what they test. */
export interface Expected {
  readonly name: string;
  readonly fields: Schema;
  readonly states: readonly State[];
  readonly actions: ReadonlyMap<State, Readonly<Record<string, Action>>>;
  /** How each role is obtained: built in, invited, granted or scope. */
  readonly origins: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, string>>;
  readonly clients: 'none' | 'own' | 'any';
  readonly creators: readonly string[];
  readonly hasFullEvents: boolean;
  readonly rows: readonly Row[];
  /** Whether a caller with this role may do it in this state. */
  may(role: string, verb: string, state: State | undefined): boolean;
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
  readonly revokes: readonly string[];
}

export interface Schema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a file has
type Yaml = any;

export function readExpected(name: string, text: string): Expected {
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
  const all = ['owner', ...names, ...(clients === 'none' ? [] : ['client']), 'everyone'];
  const inviters = (to: string) => [roles[to]?.invited_by ?? []].flat();

  /** In a shared collection "everyone" is people. */
  const held = (role: string): readonly string[] => {
    if (role === 'client') return clients === 'own' ? ['owner', 'client'] : ['client'];
    return [role, 'everyone'];
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
  const may = (role: string, verb: string, state: State | undefined): boolean => {
    if (state === undefined) return false;
    const isScoped = origins[role] === 'scope';
    if (verb === 'create')
      return (
        state === states[0] &&
        (role === 'everyone' || role === 'client' || isScoped) &&
        (creators.includes('everyone') || creators.includes(role))
      );
    const table = tables[verb];
    if (table !== undefined)
      return held(role).some((one) => table.get(one) === 'all' || table.get(one)?.includes(state));
    if (verb.startsWith('invite '))
      return role !== 'client' && inviters(verb.slice(7)).some((one) => held(role).includes(one));
    const action = actions.get(state)?.[verb];
    if (action === undefined) return false;
    if (action.grants !== null && (role === 'owner' || role === 'client')) return false;
    return action.by.some((one) => held(role).includes(one));
  };
  const actionNames = [...new Set([...actions.values()].flatMap((of) => Object.keys(of)))];
  const invitations = ['owner', ...names].filter((to) => inviters(to).length > 0);
  const rows = all.flatMap((role) => {
    const isBeforeRecords = role === 'everyone' || role === 'client' || origins[role] === 'scope';
    const verbs = [
      ...(isBeforeRecords ? ['create'] : []),
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
    hasFullEvents: file.events === 'full',
    rows,
    may,
  };
}

function originOf({ invited_by, scope }: Yaml): string {
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
    } = typeof written === 'string' ? ({ to: written } as Yaml) : written;
    const takers = by === 'any' ? ['owner', 'client'] : [by].flat();
    return [name, { to, by: takers, sets, grants, revokes: [revokes].flat() }] as const;
  });
  return Object.fromEntries(actions);
}

/** A value that fits a property; another one for each number. */
export function sampleOf({ properties }: Schema, name: string, n = 1): unknown {
  const { type, format, enum: values, items } = properties[name.replace(/\?$/, '')] as Yaml;
  if (values !== undefined) return values[n % values.length];
  if (format === 'date') return `2026-12-0${n}`;
  if (format === 'date-time') return `2026-12-0${n}T08:00:00.000Z`;
  if (type === 'integer' || type === 'number') return n;
  if (type === 'boolean') return n % 2 === 0;
  if (type === 'array') return [sampleOf({ properties: { item: items } }, 'item', n)];
  return `sample ${n}`;
}
