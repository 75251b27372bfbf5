import { isDeepStrictEqual } from 'node:util';
import type { StateMachine, Transition } from './collection.ts';
import { type Declaration, toMachine } from './declaration.ts';
import { type Matrix, type MatrixRow, matrixOf } from './matrix.ts';
import { actionFields } from './roles.ts';

/** What a role may do in these states and could not do before. */
export interface Widening extends MatrixRow {
  /** How many records there are in these states. */
  readonly records: number;
}

/** Compares the matrices of two declarations, and what their actions set and grant. */
export function wideningIn(
  before: Declaration,
  after: Declaration,
  countIn: (state: string | null) => number,
): readonly Widening[] {
  const effects = effectsIn(after);
  const withEffects = (declaration: Declaration): Matrix => {
    const matrix = matrixIn(declaration);
    return { ...matrix, rows: [...matrix.rows, ...effectRows(declaration, matrix, effects)] };
  };
  const former = withEffects(before);
  return withEffects(after).rows.flatMap(({ role, verb, states }) => {
    const allowed = allowedBefore(before, after, former, { role, verb });
    // The records of a new state come from a former one: what was allowed there is nothing more.
    const wider = states.filter((state) =>
      former.states.includes(state) ? !allowed.includes(state) : allowed.length === 0,
    );
    const records = wider.reduce((sum, state) => sum + countIn(state), 0);
    return wider.length === 0 ? [] : [{ role, verb, states: wider, records }];
  });
}

function matrixIn(declaration: Declaration): Matrix {
  return matrixOf({ ...declaration, machine: machineOf(declaration) });
}

function machineOf({ machine }: Declaration): StateMachine | null {
  return machine === null ? null : toMachine(machine);
}

/** What actions do besides leading to a state: `set <field>` and `become <role>`. */
function effectsIn(declaration: Declaration): readonly string[] {
  const { roles } = declaration;
  const fields = actionFields({ machine: machineOf(declaration) });
  const granted = Object.keys(roles).filter((role) => roles[role]?.kind === 'granted');
  return [...[...fields.keys()].map((name) => `set ${name}`), ...granted.map((role) => `become ${role}`)];
}

/** For each role, the states in which it has these effects by an action. A field that no action sets is set by an update. */
function effectRows(declaration: Declaration, { rows }: Matrix, effects: readonly string[]): MatrixRow[] {
  const machine = machineOf(declaration);
  const states = [...(machine?.states ?? [])];
  const fields = actionFields({ machine });
  const updated = Object.keys((declaration.schema.properties ?? {}) as object).filter(
    (name) => !fields.has(name),
  );
  const isByUpdate = (effect: string) => updated.some((name) => effect === `set ${name}`);
  const has = ({ sets, grants }: Transition, effect: string) =>
    effect === `become ${grants}` || sets.some(({ name }) => effect === `set ${name}`);
  return [...Map.groupBy(rows, ({ role }) => role)].flatMap(([role, own]) => {
    const may = (verb: string, state: string) =>
      own.some((row) => row.verb === verb && row.states.includes(state));
    return effects.map((verb) => {
      const where = states.filter(
        ([state, actions]) =>
          (isByUpdate(verb) && may('update', state)) ||
          [...actions].some(([action, transition]) => has(transition, verb) && may(action, state)),
      );
      return { role, verb, states: where.map(([state]) => state) };
    });
  });
}

function allowedBefore(
  before: Declaration,
  after: Declaration,
  { rows }: Matrix,
  { role, verb }: Pick<MatrixRow, 'role' | 'verb'>,
): MatrixRow['states'] {
  const purpose = verb === 'read' ? 'read' : 'write';
  const scope = before.access.scopes[purpose];
  // Callers without the former scope could do nothing.
  if (scope !== null && scope !== after.access.scopes[purpose]) return [];
  const [was, is] = [before.roles[role], after.roles[role]].map(originOf);
  // Those who have a new role, or get it in a new way, were everyone before.
  const formerRole = isDeepStrictEqual(was, is) ? role : 'everyone';
  return rows.find((row) => row.role === formerRole && row.verb === verb)?.states ?? [];
}

/** How callers get a role; undefined for those that are not declared. */
function originOf(role: Declaration['roles'][string] | undefined) {
  return (
    role && {
      kind: role.kind,
      scope: role.kind === 'scope' ? role.scope : null,
      parentRoles: role.kind === 'parent' ? role.parentRoles : null,
    }
  );
}

/** `everyone may also read in hidden (12 records)`. */
export function wideningText({ role, verb, states, records }: Widening): string {
  const where = states.flatMap((state) => state ?? []);
  const noun = records === 1 ? 'record' : 'records';
  // Created here because loading locales would slow every start.
  const count = `${new Intl.NumberFormat('en-US').format(records)} ${noun}`;
  return `${role} may also ${verb}${where.length === 0 ? '' : ` in ${where.join(', ')}`} (${count})`;
}
