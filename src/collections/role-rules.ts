import { pointerTo } from '../base/strict-json.ts';
import { found, type Report } from '../base/yaml/mistakes.ts';
import {
  type RoleRule,
  type RoleStates,
  type StateMachine,
  statesOf,
  type Transition,
  transitionsOf,
} from './collection.ts';
import type { Declaration } from './declaration.ts';
import { toRoleStates } from './declaration-file.ts';
import type { Who } from './declaration-forms.ts';
import { actionPointer, checkKnown, checkStateNames } from './declaration-rules.ts';
import type { DeclarationFile, DeclaredAction } from './declaration-schema.ts';
import { findProperty } from './indexed-fields.ts';
import { defaultLimits } from './limits.ts';
import { builtInRoles, may } from './roles.ts';

/** Rules between `roles`, `access`, `states` and `schema`: who could get which role, and the consequences. */

const reservedRoles = ['everyone', 'client', 'any', 'nobody', 'all', 'me'];

interface Declared extends Declaration {
  readonly states: readonly string[];
  readonly say: Report;
}

export function checkRoles(declaration: Declaration, say: Report): void {
  const declared: Declared = { ...declaration, states: statesOf(declaration), say };
  checkDeclaredRoles(declared);
  checkTables(declared);
  checkActions(declared);
  checkMemberships(declared);
  if (say.isRight('/access')) checkReadBeforeAct(declared);
  if (say.isRight('/states', '/roles')) checkGrantedTwice(declared);
}

function checkDeclaredRoles(declared: Declared): void {
  const { file, roles, machine, say } = declared;
  for (const [name, role] of Object.entries(file.roles ?? {})) {
    const at = pointerTo('/roles', name);
    const { invited_by, max, max_per_user, scope, parent_roles, previous_owner } = role ?? {};
    if (reservedRoles.includes(name)) {
      say(at, 'has a reserved name. Choose another name');
      continue;
    }
    if (name === 'owner') {
      if (
        (invited_by === undefined && say.isRight(at)) ||
        [max, max_per_user, scope, parent_roles].some((member) => member !== undefined)
      )
        say(at, 'can only say how ownership is handed over: { invited_by: owner, previous_owner: <role> }');
      checkInvited(previous_owner, `${at}/previous_owner`, roles, say);
    } else {
      if (previous_owner !== undefined) say(`${at}/previous_owner`, 'is for the role "owner" only');
      if ([invited_by, scope, parent_roles].filter((way) => way !== undefined).length > 1)
        say(at, 'can be obtained in one way only. Keep "invited_by", "scope" or "parent_roles"');
      if (max !== undefined && invited_by === undefined && say.isRight(at))
        say(
          `${at}/max`,
          'is for roles with "invited_by". Use "max_per_user" for a role that an action grants',
        );
      if (max_per_user !== undefined && roles[name]?.kind !== 'granted' && say.isRight(at))
        say(`${at}/max_per_user`, 'is for a role that an action grants');
      if (roles[name]?.kind === 'granted' && say.isRight('/states', at) && !isGranted(machine, roles, name))
        say(
          at,
          'cannot be obtained. Give it "invited_by", "scope" or "parent_roles", or let an action have "grants"',
        );
    }
    if (invited_by !== undefined)
      checkRoleNames(invited_by, `${at}/invited_by`, declared, ['everyone', 'client']);
  }
}

/** A misspelt role may be this one. */
function isGranted(machine: StateMachine | null, roles: Declared['roles'], role: string): boolean {
  return transitionsOf({ machine }).some(
    ({ grants }) => grants === role || (grants !== null && !(grants in roles)),
  );
}

function checkInvited(
  role: string | undefined,
  pointer: string,
  roles: Readonly<Record<string, RoleRule>>,
  say: Report,
): void {
  const invited = Object.keys(roles).filter((name) => roles[name]?.kind === 'invited');
  if (role !== undefined && !invited.includes(role) && say.isRight(pointerTo('/roles', role)))
    say(pointer, `must be a role with "invited_by"; ${found(role)}`);
}

function checkRoleNames(who: Who, pointer: string, declared: Declared, except: readonly string[] = []): void {
  const known = rolesOf(declared).filter((name) => !except.includes(name));
  for (const [index, name] of [who].flat().entries())
    checkKnown(
      name,
      known,
      'a role',
      typeof who === 'string' ? pointer : pointerTo(pointer, index),
      declared.say,
    );
}

function rolesOf({ roles }: Declared): readonly string[] {
  return [...builtInRoles, ...Object.keys(roles)];
}

function checkTables(declared: Declared): void {
  const { file, roles, say } = declared;
  const { create, read, update, delete: remove, clients } = file.access;
  if (update !== undefined && file.editable !== undefined)
    say('/editable', 'says the same as "access.update". Keep one of them');
  if (create !== undefined) {
    const isBefore = (name: string) =>
      ['scope', 'parent'].includes(roles[name]?.kind ?? '') || !say.isRight(pointerTo('/roles', name));
    for (const name of [create].flat())
      if (name !== 'everyone' && !isBefore(name))
        say(
          '/access/create',
          `must be "everyone", a role with a scope or one with "parent_roles": no other caller has a role before there is a record; ${found(name)}`,
        );
  }
  for (const [verb, who] of Object.entries({ read, update, delete: remove })) {
    const at = `/access/${verb}`;
    if (who === undefined || who === 'nobody') continue;
    if (typeof who === 'string' || Array.isArray(who)) checkRoleNames(who as Who, at, declared);
    else checkStatesOf(who as RoleStates, at, declared);
    if (say.isRight('/access/clients') && clients === 'none' && toRoleStates(who).client !== undefined)
      say(
        at,
        'names clients, but machine clients cannot reach this collection. Set "access.clients" to "any" or "own"',
      );
  }
}

function checkStatesOf(table: RoleStates, at: string, declared: Declared): void {
  const { states, say } = declared;
  for (const [role, named] of Object.entries(table)) {
    checkKnown(role, rolesOf(declared), 'a role', pointerTo(at, role), say);
    if (named === 'all') continue;
    if (states.length === 0)
      say(pointerTo(at, role), 'lists states, but the collection has none. Declare "states", or write "all"');
    else checkStateNames(named, pointerTo(at, role), states, say);
  }
}

const reservedActions = ['members', 'invitations', 'history'];

function checkActions(declared: Declared): void {
  const { file, roles, say } = declared;
  const admitsClients = file.access.clients !== 'none' || !say.isRight('/access/clients');
  const granted = Object.keys(roles).filter((name) => roles[name]?.kind === 'granted');
  const checkGranted = (role: string, pointer: string) => {
    if (granted.includes(role) || !say.isRight(pointerTo('/roles', role))) return;
    const advice =
      roles[role]?.kind === 'invited'
        ? '. A role by invitation ends with DELETE .../members/{alias}, or .../members/me for the caller itself'
        : '';
    say(
      pointer,
      `must be a role that only actions give, without "invited_by" and "scope"; ${found(role)}${advice}`,
    );
  };
  for (const [state, actions] of Object.entries(file.states ?? {})) {
    for (const [name, written] of Object.entries(actions ?? {})) {
      const at = actionPointer(state, name);
      if (reservedActions.includes(name)) say(at, 'has a reserved name. Choose another name');
      if (typeof written === 'string') continue;
      const { by, grants, revokes, chosen_from } = written;
      if ([by].flat().includes('client') && !admitsClients)
        say(
          at,
          'is for clients, but machine clients cannot reach this collection. Set "access.clients" to "any" or "own"',
        );
      if (by !== undefined && by !== 'any') checkRoleNames(by, `${at}/by`, declared);
      if (grants !== undefined) checkGranted(grants, `${at}/grants`);
      const takers = [by ?? 'owner'].flat();
      checkChosen(declared, written, at);
      const isTaken = grants !== undefined && chosen_from === undefined && say.isRight(`${at}/by`);
      if (isTaken && takers.some((role) => ['owner', 'client', 'any'].includes(role)))
        say(
          `${at}/by`,
          'grants a role, which neither the owner nor a machine client can have. Let "everyone" or a role take the action',
        );
      for (const role of [revokes ?? []].flat()) checkGranted(role, `${at}/revokes`);
      checkFields(file, written, at, say);
    }
  }
}

/** A chosen person has the role already, by the parent: no role goes to people who cannot reach the record. */
function checkChosen({ file, roles, say }: Declared, action: DeclaredAction, at: string): void {
  const { chosen_from, grants, sets = [], while_parent_accepts } = action;
  if (while_parent_accepts && file.parent === undefined && say.isRight('/parent'))
    say(`${at}/while_parent_accepts`, 'needs a parent. Declare "parent"');
  if (chosen_from === undefined) return;
  if (grants === undefined && say.isRight(`${at}/grants`))
    say(
      `${at}/chosen_from`,
      'chooses who gets a role, but the action grants none. Name the role in "grants", or leave it out',
    );
  if (roles[chosen_from]?.kind !== 'parent' && say.isRight(pointerTo('/roles', chosen_from)))
    say(`${at}/chosen_from`, `must be a role with "parent_roles"; ${found(chosen_from)}`);
  if (sets.some((name) => name.replace(/\?$/, '') === 'member'))
    say(`${at}/sets`, 'must not contain "member": the input names the chosen person in that member');
}

/** R6: a field that an action sets or clears is optional in the schema; otherwise other writes could not leave it alone. */
function checkFields({ schema }: DeclarationFile, action: DeclaredAction, at: string, say: Report): void {
  const { sets = [], clears = [] } = action;
  const required = say.isRight('/schema/required') ? ((schema.required ?? []) as readonly unknown[]) : [];
  const names = sets.map((name) => name.replace(/\?$/, ''));
  for (const [member, list] of [
    ['sets', names],
    ['clears', clears],
  ] as const)
    for (const [index, name] of list.entries()) {
      const pointer = pointerTo(`${at}/${member}`, index);
      if (findProperty(name, schema, pointer, say) && required.includes(name))
        say(
          pointer,
          `is in "required" of the schema, so every record has it before the action; ${found(name)}. Remove it from "required"`,
        );
    }
  for (const name of clears)
    if (names.includes(name)) say(`${at}/clears`, `clears what "sets" sets; ${found(name)}`);
}

function checkMemberships({ file, roles, say }: Declared): void {
  const isDefault = file.limits.memberships === defaultLimits.memberships;
  const hasInvited = Object.values(roles).some(({ kind }) => kind === 'invited');
  if (!isDefault && !hasInvited && say.isRight('/roles', '/limits/memberships'))
    say('/limits/memberships', 'is for collections with a role that has "invited_by"');
}

/** R2: a caller that may update, delete, act or invite in a state can read the record in that state. */
function checkReadBeforeAct(declared: Declared): void {
  const { access, machine, file, states, say } = declared;
  const known = rolesOf(declared);
  const inStates = states.length === 0 ? [null] : states;
  const reads = (role: string, state: string | null) =>
    may(declared, 'read', [role, 'everyone'], state) ||
    (role === 'client' && access.clients === 'own' && may(declared, 'read', ['owner'], state));
  const unread = (role: string, concerned: readonly (string | null)[]) =>
    concerned.find((state) => !reads(role, state));
  const reportUnread = (pointer: string, role: string, what: string, state: string | null) =>
    known.includes(role) &&
    say.isRight(pointer) &&
    say(
      pointer,
      `lets "${role}" ${what}${state === null ? '' : ` in the state "${state}"`}, where it cannot read the record. Add it to "access.read"`,
    );
  for (const verb of ['update', 'delete'] as const)
    for (const [role, named] of Object.entries(access[verb])) {
      const state = unread(role, named === 'all' ? inStates : named);
      if (state !== undefined)
        reportUnread(`/access/${file.access[verb] === undefined ? 'read' : verb}`, role, verb, state);
    }
  for (const { from, action, by } of transitionsOf({ machine }))
    for (const role of by)
      if (!(role === 'client' && access.clients === 'none') && !reads(role, from))
        reportUnread(actionPointer(from, action), role, 'act', from);
  for (const [name, role] of Object.entries(file.roles ?? {}))
    for (const inviter of [role?.invited_by ?? []].flat()) {
      const state = unread(inviter, inStates);
      if (state !== undefined)
        reportUnread(`${pointerTo('/roles', name)}/invited_by`, inviter, 'invite', state);
    }
}

/**
 * One caller at a time holds a role that actions grant. An action that leads back to the granting state has to revoke it;
 * otherwise the grant is refused for all other callers (409 `role_full`). A state with an action that revokes the role is
 * left alone.
 */
function checkGrantedTwice({ machine, roles, say }: Declared): void {
  for (const role of Object.keys(roles)) {
    if (machine === null || roles[role]?.kind !== 'granted') continue;
    const { held, free } = statesWith(machine, role);
    for (const state of held) {
      const actions = [...(machine.states.get(state) ?? [])];
      const again = actions.find(
        ([, { to, grants }]) => grants === role && !(to === state && free.has(state)),
      );
      if (again === undefined || actions.some(([, { revokes }]) => revokes.includes(role))) continue;
      const [grant] = again;
      // If the role is always held, the grant passes it on. Otherwise an action should not have led to this state.
      const entries = free.has(state) ? entriesWith(machine, role, held, state) : [];
      for (const at of entries)
        say(
          at,
          `leads to "${state}" while a caller still has the role "${role}", so "${grant}" cannot grant it to another one there. Add "revokes: ${role}"`,
        );
      if (entries.length === 0)
        say(
          actionPointer(state, grant),
          `grants the role "${role}", which another caller still has in "${state}". Add "revokes: ${role}" to pass it on`,
        );
    }
  }
}

/** The actions of other states that lead to a state without revoking the role. */
function entriesWith(
  machine: StateMachine,
  role: string,
  held: ReadonlySet<string>,
  state: string,
): readonly string[] {
  return transitionsOf({ machine })
    .filter((exit) => held.has(exit.from) && exit.from !== state && exit.to === state && keeps(exit, role))
    .map(({ from, action }) => actionPointer(from, action));
}

function keeps({ grants, revokes }: Transition, role: string): boolean {
  return grants !== role && !revokes.includes(role);
}

/** The states that a record can be in while a caller has the role, and while no one has it. */
function statesWith(machine: StateMachine, role: string) {
  const held = new Set<string>();
  const free = new Set<string>();
  const visit = (state: string, isHeld: boolean) => {
    const seen = isHeld ? held : free;
    if (seen.has(state)) return;
    seen.add(state);
    for (const transition of machine.states.get(state)?.values() ?? [])
      visit(transition.to, transition.grants === role || (isHeld && keeps(transition, role)));
  };
  visit(machine.initial, false);
  return { held, free };
}
