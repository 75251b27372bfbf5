import { recordIdForm } from '../base/random.ts';
import type { EventRules } from '../events/catalogue.ts';
import type {
  Capacity,
  Collection,
  CollectionAccess,
  CollectionLimits,
  Handover,
  ParentRule,
  RoleRule,
  RoleStates,
  Schema,
  StateMachine,
  Transition,
} from './collection.ts';
import type { Who } from './declaration-forms.ts';
import {
  acceptsForm,
  actionForm,
  capacityForm,
  type DeclarationFile,
  type DeclaredAction,
  type DeclaredParent,
  type DeclaredRole,
  declarationForm,
  limitsForm,
  parentForm,
  scopesForm,
  uniqueForm,
} from './declaration-schema.ts';
import { loaded } from './declared-names.ts';
import { kindOf } from './indexed-fields.ts';
import { defaultLimits, defaultRoleLimits, parseNewcomerRate, parsePeriod, parseRate } from './limits.ts';
import { type Deprecation, parseDay } from './normalise.ts';

/** Turns a declaration into a collection, without the check of its fields. */
export function toCollection(name: string, file: DeclarationFile): Omit<Collection, 'checkFields'> {
  const { states: _, editable: __, ...plain } = loaded(declarationForm, file);
  const schema = withParentField(file);
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  return {
    ...plain,
    name,
    file,
    schema,
    index: file.index.map((field) => ({ name: field, kind: kindOf(properties[field]) ?? 'text' })),
    title: file.title?.trim() ?? name,
    description: file.description?.trim() ?? null,
    machine: toMachine(file),
    access: toAccess(file),
    isShared: isShared(file),
    roles: toRoles(file),
    handover: toHandover(file),
    parent: toParent(file),
    children: [],
    showsCounts: false,
    unique: file.unique.map((rule) => {
      const { reveals: _, ...declared } = loaded(uniqueForm, rule);
      return declared;
    }),
    limits: toLimits(file),
    events: toEventRules(file),
    deprecated: toDeprecation(file),
  };
}

function withParentField({ parent, schema }: DeclarationFile): Schema {
  const { properties, required = [] } = schema as { properties: Schema; required?: readonly string[] };
  if (parent === undefined || Object.keys(properties).length === 0) return schema;
  const id = {
    type: 'string',
    pattern: recordIdForm.source,
    description: `The id of the record of ${parent.collection} above this one. It cannot be changed.`,
  };
  return {
    ...schema,
    properties: { [parent.field]: id, ...properties },
    required: [parent.field, ...required],
  };
}

function toMachine({ states }: DeclarationFile): StateMachine | null {
  if (states === undefined) return null;
  const byState = new Map(
    Object.entries(states).map(([state, actions]) => {
      const transitions = Object.entries(actions ?? {}).map(([action, declared]): [string, Transition] => [
        action,
        toTransition(typeof declared === 'string' ? { to: declared, by: 'owner' } : declared),
      ]);
      return [state, new Map(transitions)];
    }),
  );
  const [initial = ''] = byState.keys();
  const actions = new Set([...byState.values()].flatMap((transitions) => [...transitions.keys()]));
  return { initial, states: byState, actions: [...actions] };
}

function toTransition(declared: DeclaredAction): Transition {
  const { by, sets = [], clears = [], revokes = [], while_parent_accepts = false } = declared;
  return {
    ...loaded(actionForm, declared),
    by: by === 'any' ? ['owner', 'client'] : [by].flat(),
    sets: sets.map((text) => ({ name: text.replace(/\?$/, ''), isOptional: text.endsWith('?') })),
    clears,
    revokes: [revokes].flat(),
    whileParentAccepts: while_parent_accepts,
  };
}

function toParent({ parent, states }: DeclarationFile): ParentRule | null {
  if (parent === undefined) return null;
  const { accepts, capacity, counts } = parent;
  const all = states === undefined ? [null] : Object.keys(states);
  return {
    ...loaded(parentForm, parent),
    accepts: loaded(acceptsForm, accepts),
    capacity: capacity === undefined ? null : toCapacity(capacity),
    counts: typeof counts === 'boolean' ? (counts ? all : []) : counts,
  };
}

function toCapacity(capacity: NonNullable<DeclaredParent['capacity']>): Capacity {
  const { field, number, ...plain } = loaded(capacityForm, capacity);
  return { ...plain, maxPlaces: field ?? number ?? 0 };
}

/** True if the declaration has a key that a collection of single owners does not need. */
function isShared({ roles, aliases, access, states, parent }: DeclarationFile): boolean {
  const { create, read, update, delete: remove } = access;
  const isLonger = (by: unknown) => by !== undefined && !['owner', 'client', 'any'].includes(by as string);
  const actions = Object.values(states ?? {}).flatMap((of) => Object.values(of ?? {}));
  return (
    aliases !== false ||
    [roles, parent, create, update, remove].some((declared) => declared !== undefined) ||
    (read !== 'owner' && read !== 'everyone') ||
    actions.some((action) => typeof action !== 'string' && isLonger(action.by))
  );
}

/** Clients with `any` may read, change and delete every record, unless the member limits the states. */
function toAccess({ access, editable }: DeclarationFile): CollectionAccess {
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
    scopes: loaded(scopesForm, scopes),
  };
}

export function toRoleStates(who: Who | RoleStates): RoleStates {
  if (who === 'nobody') return {};
  if (typeof who !== 'string' && !Array.isArray(who)) return who as RoleStates;
  return Object.fromEntries([who].flat().map((role) => [role, 'all'] as const));
}

function toRoles({ roles = {} }: DeclarationFile): Readonly<Record<string, RoleRule>> {
  const declared = Object.entries(roles).filter(([name]) => name !== 'owner');
  return Object.fromEntries(declared.map(([name, role]) => [name, toRole(role ?? {})]));
}

function toRole(role: DeclaredRole): RoleRule {
  const { max, maxPerUser } = defaultRoleLimits;
  const { invited_by, scope, parent_roles } = role;
  if (parent_roles !== undefined) return { kind: 'parent', parentRoles: [parent_roles].flat() };
  if (scope !== undefined) return { kind: 'scope', scope };
  if (invited_by === undefined) return { kind: 'granted', maxPerUser: role.max_per_user ?? maxPerUser };
  return { kind: 'invited', invitedBy: [invited_by].flat(), max: role.max ?? max };
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
  const { writes, newcomer, expire, ...plain } = loaded(limitsForm, limits);
  return {
    ...plain,
    writes: parseRate(writes) ?? defaultLimits.writes,
    newcomer: newcomer === null ? null : parseNewcomerRate(newcomer),
    expireMs: expire === null ? null : parsePeriod(expire),
  };
}

function toDeprecation({ deprecated }: DeclarationFile): Deprecation | null {
  if (deprecated === undefined) return null;
  const { since, sunset, link = null } = deprecated;
  return { sinceMs: parseDay(since), sunsetMs: sunset === undefined ? null : parseDay(sunset), link };
}
