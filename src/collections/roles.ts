import { type Collection, type RoleStates, statesOf, transitionsOf } from './collection.ts';

/** Reserved roles: no declaration can give them another meaning. */
export const builtInRoles = ['owner', 'everyone', 'client'] as const;

/** The data about a caller and a record that decides the caller's roles. */
export interface RoleFacts {
  readonly isOwner: boolean;
  /** True for a client of POST /token. */
  readonly isMachine: boolean;
  /** The roles that the caller's token gives it in every record. */
  readonly scopeRoles: readonly string[];
  /** Its roles by invitation or action. */
  readonly memberRoles: readonly string[];
  /**
   * Its roles in the parent record; null: it cannot read the parent, or the parent is gone. Missing: records have no parent.
   */
  readonly parentRoles?: readonly string[] | null | undefined;
}

type Inviting = Pick<Collection, 'roles' | 'handover'>;
type Decisive = Pick<Collection, 'access' | 'machine' | 'parent'>;

/** What a caller is in a record. Together with `may` the only place that decides about access. */
export function rolesOn(
  collection: Pick<Collection, 'access' | 'roles' | 'isShared'>,
  facts: RoleFacts,
): readonly string[] {
  const { isOwner, isMachine, scopeRoles, memberRoles, parentRoles } = facts;
  const roles: string[] = [];
  if (isOwner) roles.push('owner');
  if (isMachine && (isOwner || collection.access.clients === 'any')) roles.push('client');
  // Without read access to the parent, only the record's owner and a client that reaches every record can access it.
  if (parentRoles === null) return roles;
  for (const role of memberRoles) if (isMember(collection, role)) roles.push(role);
  if (scopeRoles.length > 0) roles.push(...scopeRoles);
  if (parentRoles !== undefined) roles.push(...rolesByParent(collection, parentRoles));
  // In a shared collection these roles are for people.
  if (!(isMachine && collection.isShared)) roles.push('everyone');
  return roles;
}

function rolesByParent({ roles }: Pick<Collection, 'roles'>, parentRoles: readonly string[]): string[] {
  return Object.entries(roles).flatMap(([name, role]) =>
    role.kind === 'parent' && role.parentRoles.some((one) => parentRoles.includes(one)) ? [name] : [],
  );
}

/** A role that is no longer declared counts for nothing. */
function isMember({ roles }: Pick<Collection, 'roles'>, role: string): boolean {
  const kind = roles[role]?.kind;
  return kind === 'invited' || kind === 'granted';
}

export type Verb = 'read' | 'update' | 'delete' | { readonly action: string };

/** Whether a caller with these roles may do it with a record in this state; null: the collection has no states. */
export function may(
  { access, machine, parent }: Decisive,
  verb: Verb,
  roles: readonly string[],
  state: string | null,
): boolean {
  if (typeof verb === 'string') {
    const table = access[verb];
    return roles.some((role) => isIn(table, role, state));
  }
  const transition = machine?.states.get(state ?? '')?.get(verb.action);
  if (transition === undefined) return false;
  // People take a granted role themselves. Machine clients (never "everyone") and the record's creator cannot.
  const isTaken = transition.grants !== null && transition.chosenFrom === null;
  const isMaker = roles.includes('owner') && parent?.ownedBy !== 'parent';
  if (isTaken && (isMaker || !roles.includes('everyone'))) return false;
  return transition.by.some((role) => roles.includes(role));
}

/** The first declared role that lets a caller with these roles change or delete a record. */
export function roleFor(
  { access }: Pick<Collection, 'access'>,
  verb: 'update' | 'delete',
  roles: readonly string[],
  state: string | null,
): string | null {
  const table = access[verb];
  return Object.keys(table).find((role) => roles.includes(role) && isIn(table, role, state)) ?? null;
}

function isIn(table: RoleStates, role: string, state: string | null): boolean {
  // No Object.hasOwn is needed: declarations refuse names that every object has, such as "constructor".
  const states = table[role];
  return states !== undefined && (states === 'all' || (state !== null && states.includes(state)));
}

/** The first declared role that lets the caller create records: it has the roles of its token and by the parent. */
export function roleToCreate(
  { access }: Pick<Collection, 'access'>,
  roles: readonly string[],
): string | null {
  return access.create.find((role) => role === 'everyone' || roles.includes(role)) ?? null;
}

/** The roles that may invite to a role; none if there are no invitations to it. */
export function invitersOf({ roles, handover }: Inviting, role: string): readonly string[] {
  if (role === 'owner') return handover?.invitedBy ?? [];
  const rule = roles[role];
  return rule?.kind === 'invited' ? rule.invitedBy : [];
}

/** True if a caller with these roles may invite to a role. */
export function mayInvite(collection: Inviting, role: string, roles: readonly string[]): boolean {
  return invitersOf(collection, role).some((inviter) => roles.includes(inviter));
}

/** True if a caller with these roles may invite to any role, and so sees members and invitations. */
export function invitesToAny(collection: Inviting, roles: readonly string[]): boolean {
  return ['owner', ...Object.keys(collection.roles)].some((role) => mayInvite(collection, role, roles));
}

/** The actions that a caller with these roles may take in this state. */
export function actionsFor(collection: Decisive, roles: readonly string[], state: string | null): string[] {
  const actions = collection.machine?.states.get(state ?? '') ?? new Map<string, never>();
  return [...actions.keys()].filter((action) => may(collection, { action }, roles, state));
}

/** The states in which one of these roles may read; null: all. */
export function readableStates(collection: Decisive, roles: readonly string[]): readonly string[] | null {
  const { access } = collection;
  if (roles.some((role) => Object.hasOwn(access.read, role) && access.read[role] === 'all')) return null;
  const states = statesOf(collection);
  const readable = states.filter((state) => may(collection, 'read', roles, state));
  return readable.length === states.length && states.length > 0 ? null : readable;
}

/** True if one of these roles may do it in some state. */
export function mayEver(table: RoleStates, roles: readonly string[]): boolean {
  return roles.some((role) => Object.hasOwn(table, role));
}

/** Whether a caller who is no machine client may ever write here. */
export function isWrittenByPeople(collection: Pick<Collection, 'access' | 'machine'>): boolean {
  const { access } = collection;
  const writers = [
    ...access.create,
    ...Object.keys(access.update),
    ...Object.keys(access.delete),
    ...transitionsOf(collection).flatMap(({ by }) => by),
  ];
  return writers.some((role) => role !== 'client');
}

/** The fields that only actions set, with the names of these actions. */
export function actionFields({
  machine,
}: Pick<Collection, 'machine'>): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (const actions of machine?.states.values() ?? [])
    for (const [action, { sets }] of actions)
      for (const { name } of sets) {
        const known = fields.get(name) ?? [];
        if (!known.includes(action)) fields.set(name, [...known, action]);
      }
  return fields;
}
