import { type Collection, transitionsOf } from './collection.ts';
import { invitersOf, may, mayInvite, type RoleFacts, rolesOn, roleToCreate } from './roles.ts';

/** What each role may do with a record in each state. */
export interface Matrix {
  readonly name: string;
  readonly title: string;
  /** [null] for a collection without states, like the `state` of its records. */
  readonly states: readonly State[];
  readonly rows: readonly MatrixRow[];
  /** The actions that change more than the state. */
  readonly effects: ReturnType<typeof effectsOf>;
}

export interface MatrixRow {
  readonly role: string;
  /** read, update, delete, create, an action, or "invite" and a role. */
  readonly verb: string;
  /** The states in which the role may do it. */
  readonly states: readonly State[];
}

type State = string | null;

type Declared = Pick<
  Collection,
  'name' | 'title' | 'access' | 'machine' | 'roles' | 'handover' | 'isShared' | 'parent'
>;

/** A row of people contains what everyone may do: a borrower is part of everyone, too. */
export function matrixOf(collection: Declared): Matrix {
  const { name, title, access, machine, roles } = collection;
  const states: readonly State[] = machine === null ? [null] : [...machine.states.keys()];
  const clients = access.clients === 'none' ? [] : ['client'];
  const rows = ['owner', ...Object.keys(roles), ...clients, 'everyone'].flatMap((role) =>
    rowsOf(collection, role, states),
  );
  return { name, title, states, rows, effects: effectsOf(collection) };
}

/** "remark?" may be missing. An action grants one role at most. */
function effectsOf(collection: Declared) {
  const effects = transitionsOf(collection).map(({ action, from, to, sets, clears, grants, revokes }) => ({
    action,
    from,
    to,
    sets: sets.map(({ name, isOptional }) => (isOptional ? `${name}?` : name)),
    clears,
    grants: grants === null ? [] : [grants],
    revokes,
  }));
  return effects.filter(
    ({ sets, clears, grants, revokes }) => [sets, clears, grants, revokes].flat().length > 0,
  );
}

function rowsOf(collection: Declared, role: string, states: readonly State[]): readonly MatrixRow[] {
  const { machine, roles } = collection;
  const facts = factsOf(collection, role);
  const held = rolesOn(collection, facts);
  const row = (verb: string, isAllowed: (state: State) => boolean): MatrixRow => {
    return { role, verb, states: states.filter(isAllowed) };
  };
  const reads = (state: State) => may(collection, 'read', held, state);
  const canInvite = (to: string) => !facts.isMachine && mayInvite(collection, to, held);
  // A record begins in the initial state. Before that, only these roles exist.
  const needsNoRecord =
    ['everyone', 'client'].includes(role) || ['scope', 'parent'].includes(roles[role]?.kind ?? '');
  const creates = (state: State) =>
    state === (machine?.initial ?? null) && roleToCreate(collection, facts.isOwner ? [] : held) !== null;
  return [
    ...(needsNoRecord ? [row('create', creates)] : []),
    ...(['read', 'update', 'delete'] as const).map((verb) =>
      row(verb, (state) => may(collection, verb, held, state)),
    ),
    ...(machine?.actions ?? []).map((action) =>
      row(action, (state) => may(collection, { action }, held, state)),
    ),
    ...['owner', ...Object.keys(roles)]
      .filter((to) => invitersOf(collection, to).length > 0)
      .map((to) => row(`invite ${to}`, (state) => canInvite(to) && reads(state))),
  ];
}

/** A caller with one role. A client with `own` is one in its own record. */
function factsOf(collection: Declared, role: string): RoleFacts {
  const { access, parent } = collection;
  const isMachine = role === 'client';
  const kind = collection.roles[role]?.kind;
  return {
    ...(parent === null ? {} : { parentRoles: parentRolesFor(collection, role) }),
    isOwner: role === 'owner' || (isMachine && access.clients === 'own'),
    isMachine,
    scopeRoles: kind === 'scope' ? [role] : [],
    memberRoles: kind === 'invited' || kind === 'granted' ? [role] : [],
  };
}

/** The roles of such a caller in the parent. If several roles there lead to it, the one that gives the fewest roles here. */
function parentRolesFor({ roles, parent }: Declared, role: string): readonly string[] {
  if (role === 'owner' && parent?.ownedBy === 'parent') return ['owner'];
  const rule = roles[role];
  if (rule?.kind !== 'parent') return [];
  const given = (one: string) =>
    Object.values(roles).filter((other) => other.kind === 'parent' && other.parentRoles.includes(one)).length;
  return rule.parentRoles.toSorted((one, other) => given(one) - given(other)).slice(0, 1);
}
