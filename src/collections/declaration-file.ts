import type { EventRules } from '../events/catalogue.ts';
import type {
  Collection,
  CollectionAccess,
  CollectionLimits,
  Deprecation,
  Handover,
  ParentRule,
  RoleRule,
  RoleStates,
  Schema,
  StateMachine,
  Transition,
} from './collection.ts';
import { defaultLimits, defaultRoleLimits, parseNewcomerRate, parsePeriod, parseRate } from './limits.ts';
import { parseDay } from './normalise.ts';

/** A declaration that fits the schema. A member with a default is always there. */
export interface DeclarationFile {
  readonly schema: Schema;
  readonly title?: string;
  readonly description?: string;
  readonly index: readonly string[];
  readonly states?: DeclaredStates;
  readonly editable?: readonly string[];
  readonly roles?: Readonly<Record<string, DeclaredRole | null>>;
  readonly aliases: boolean;
  readonly parent?: DeclaredParent;
  readonly unique: readonly DeclaredUnique[];
  readonly search: readonly string[];
  readonly history: boolean;
  readonly access: {
    readonly create?: Who;
    readonly read: Who | RoleStates;
    readonly update?: Who | RoleStates;
    readonly delete?: Who | RoleStates;
    readonly clients: 'none' | 'own' | 'any';
    readonly scopes: { readonly read?: string; readonly write?: string };
  };
  readonly concurrency: 'optional' | 'required';
  readonly limits: {
    readonly per_user: number;
    readonly bytes: number;
    readonly writes: string;
    readonly newcomer?: string;
    readonly expire?: string;
    readonly memberships: number;
  };
  readonly events:
    | 'thin'
    | 'full'
    | 'none'
    | { readonly data: 'thin' | 'full'; readonly only?: readonly string[] };
  readonly deprecated?: { readonly since: string; readonly sunset?: string; readonly link?: string };
}

/** A role, or a list of roles. */
export type Who = string | readonly string[];

export interface DeclaredRole {
  readonly invited_by?: Who;
  readonly max?: number;
  readonly max_per_user?: number;
  readonly scope?: string;
  readonly parent_roles?: Who;
  readonly previous_owner?: string;
}

export interface DeclaredParent {
  readonly field: string;
  readonly collection: string;
  readonly accepts?: { readonly states?: readonly string[]; readonly before?: string };
  readonly owned_by: 'creator' | 'parent';
  readonly on_delete: 'restrict' | 'cascade' | 'keep';
  readonly max?: number;
  readonly capacity?: {
    readonly states: readonly string[];
    readonly field?: string;
    readonly number?: number;
    readonly overflow?: string;
  };
  readonly counts: boolean | readonly string[];
}

export interface DeclaredUnique {
  readonly fields: readonly string[];
  readonly states?: readonly string[];
  readonly reveals: boolean;
}

export interface DeclaredAction {
  readonly to: string;
  readonly by?: Who;
  readonly sets?: readonly string[];
  readonly clears?: readonly string[];
  readonly grants?: string;
  readonly chosen_from?: string;
  readonly revokes?: Who;
  readonly while_parent_accepts?: boolean;
}

/** By state, then by action. A final state may be null; an action may be only the state that it leads to. */
export type DeclaredStates = Readonly<
  Record<string, Readonly<Record<string, string | DeclaredAction>> | null>
>;

/** Turns a declaration into a collection, without its fields. */
export function toCollection(
  name: string,
  file: DeclarationFile,
): Omit<Collection, 'schema' | 'index' | 'checkFields'> {
  const { title, description, concurrency } = file;
  return {
    name,
    title: title?.trim() ?? name,
    description: description?.trim() ?? null,
    machine: toMachine(file),
    access: toAccess(file),
    isShared: isShared(file),
    roles: toRoles(file),
    handover: toHandover(file),
    aliases: file.aliases,
    parent: toParent(file),
    children: [],
    unique: file.unique.map(({ fields, states = null }) => ({ fields, states })),
    search: file.search,
    history: file.history,
    concurrency,
    limits: toLimits(file),
    events: toEventRules(file),
    deprecated: toDeprecation(file),
  };
}

export function toMachine({ states }: DeclarationFile): StateMachine | null {
  if (states === undefined) return null;
  const byState = new Map(
    Object.entries(states).map(([state, actions]) => {
      const transitions = Object.entries(actions ?? {}).map(([action, declared]): [string, Transition] => [
        action,
        toTransition(typeof declared === 'string' ? { to: declared } : declared),
      ]);
      return [state, new Map(transitions)];
    }),
  );
  const [initial = ''] = byState.keys();
  const actions = new Set([...byState.values()].flatMap((transitions) => [...transitions.keys()]));
  return { initial, states: byState, actions: [...actions] };
}

function toTransition(declared: DeclaredAction): Transition {
  const { to, by = 'owner', sets = [], clears = [], grants = null, revokes = [] } = declared;
  const { chosen_from: chosenFrom = null, while_parent_accepts: whileParentAccepts = false } = declared;
  return {
    to,
    by: by === 'any' ? ['owner', 'client'] : [by].flat(),
    sets: sets.map((text) => ({ name: text.replace(/\?$/, ''), isOptional: text.endsWith('?') })),
    clears,
    grants,
    chosenFrom,
    revokes: [revokes].flat(),
    whileParentAccepts,
  };
}

export function toParent({ parent, states }: DeclarationFile): ParentRule | null {
  if (parent === undefined) return null;
  const { field, collection, accepts = {}, owned_by, on_delete, max = null, capacity, counts } = parent;
  const all = states === undefined ? [null] : Object.keys(states);
  return {
    field,
    collection,
    accepts: { states: accepts.states ?? null, before: accepts.before ?? null },
    ownedBy: owned_by,
    onDelete: on_delete,
    max,
    capacity:
      capacity === undefined
        ? null
        : {
            states: capacity.states,
            most: capacity.field ?? capacity.number ?? 0,
            overflow: capacity.overflow ?? null,
          },
    counts: typeof counts === 'boolean' ? (counts ? all : []) : counts,
  };
}

/** True if the declaration has a member that a collection of single owners does not need. */
function isShared({ roles, aliases, access, states, parent }: DeclarationFile): boolean {
  const { create, read, update, delete: remove } = access;
  const isLonger = (by: unknown) => by !== undefined && !['owner', 'client', 'any'].includes(by as string);
  const actions = Object.values(states ?? {}).flatMap((of) => Object.values(of ?? {}));
  return (
    aliases ||
    [roles, parent, create, update, remove].some((declared) => declared !== undefined) ||
    (read !== 'owner' && read !== 'everyone') ||
    actions.some((action) => typeof action !== 'string' && isLonger(action.by))
  );
}

/** Clients with `any` may read, change and delete every record, unless the member limits the states. */
export function toAccess({ access, editable }: DeclarationFile): CollectionAccess {
  const { create = 'everyone', read, update, delete: remove = 'owner', clients, scopes } = access;
  const withClients = (declared: RoleStates, states: RoleStates[string]): RoleStates =>
    clients === 'any' && declared.client === undefined ? { ...declared, client: states } : declared;
  const inStates = editable ?? 'all';
  return {
    create: [create].flat(),
    read: withClients(toRoleStates(read), 'all'),
    update: withClients(update === undefined ? { owner: inStates } : toRoleStates(update), inStates),
    delete: withClients(toRoleStates(remove), 'all'),
    clients,
    scopes: { read: scopes.read ?? null, write: scopes.write ?? null },
  };
}

export function toRoleStates(who: Who | RoleStates): RoleStates {
  if (who === 'nobody') return {};
  if (typeof who !== 'string' && !Array.isArray(who)) return who as RoleStates;
  return Object.fromEntries([who].flat().map((role) => [role, 'all'] as const));
}

export function toRoles({ roles = {} }: DeclarationFile): Readonly<Record<string, RoleRule>> {
  const declared = Object.entries(roles).filter(([name]) => name !== 'owner');
  return Object.fromEntries(declared.map(([name, role]) => [name, toRole(role ?? {})]));
}

function toRole(role: DeclaredRole): RoleRule {
  const {
    invited_by,
    max = defaultRoleLimits.max,
    max_per_user = defaultRoleLimits.maxPerUser,
    scope,
    parent_roles,
  } = role;
  if (parent_roles !== undefined) return { kind: 'parent', parentRoles: [parent_roles].flat() };
  if (scope !== undefined) return { kind: 'scope', scope };
  if (invited_by === undefined) return { kind: 'granted', maxPerUser: max_per_user };
  return { kind: 'invited', invitedBy: [invited_by].flat(), max };
}

function toHandover({ roles = {} }: DeclarationFile): Handover | null {
  const { invited_by, previous_owner = null } = roles.owner ?? {};
  return invited_by === undefined ? null : { invitedBy: [invited_by].flat(), previousOwner: previous_owner };
}

function toEventRules({ events }: DeclarationFile): EventRules | null {
  if (events === 'none') return null;
  if (typeof events === 'string') return { data: events, only: null };
  return { data: events.data, only: events.only === undefined ? null : new Set(events.only) };
}

function toLimits({ limits }: DeclarationFile): CollectionLimits {
  const { per_user, bytes, writes, newcomer, expire, memberships } = limits;
  return {
    perUser: per_user,
    bytes,
    writes: parseRate(writes) ?? defaultLimits.writes,
    newcomer: newcomer === undefined ? null : parseNewcomerRate(newcomer),
    expireMs: expire === undefined ? null : parsePeriod(expire),
    memberships,
  };
}

function toDeprecation({ deprecated }: DeclarationFile): Deprecation | null {
  if (deprecated === undefined) return null;
  const { since, sunset, link = null } = deprecated;
  return { sinceMs: parseDay(since), sunsetMs: sunset === undefined ? null : parseDay(sunset), link };
}
