import { isDeepStrictEqual } from 'node:util';
import { counted } from '../base/counted.ts';
import type { ParentRule, Transition } from './collection.ts';
import type { Declaration } from './declaration.ts';
import { type Matrix, type MatrixRow, matrixOf } from './matrix.ts';
import { actionFields } from './roles.ts';

/** New access of a role in these states. */
export interface Widening extends MatrixRow {
  /** The number of records in these states. */
  readonly records: number;
}

type Accepts = ParentRule['accepts'];

/** Compares the matrices of two declarations, and what their actions set and grant. */
export function wideningIn(
  before: Declaration,
  after: Declaration,
  countIn: (state: string | null) => number,
): readonly Widening[] {
  const effects = effectsIn(after);
  const withEffects = (declaration: Declaration): Matrix => {
    const matrix = matrixOf(declaration);
    return { ...matrix, rows: [...matrix.rows, ...effectRows(declaration, matrix, effects)] };
  };
  const former = withEffects(before);
  return withEffects(after).rows.flatMap(({ role, verb, states }) => {
    const allowed = allowedBefore(before, after, former, { role, verb });
    // The records of a new state come from a former one: what was allowed there is not new.
    const wider = states.filter((state) =>
      former.states.includes(state) ? !allowed.includes(state) : allowed.length === 0,
    );
    const same = states.filter((state) => !wider.includes(state));
    const further = Map.groupBy(same, (state) => furtherParents(before, after, verb, state));
    const found = [{ role, verb, states: wider }].concat(
      [...further].flatMap(([under, of]) =>
        under === '' ? [] : [{ role, verb: `${verb} ${under}`, states: of }],
      ),
    );
    return found
      .filter((row) => row.states.length > 0)
      .map((row) => ({ ...row, records: row.states.reduce((sum, state) => sum + countIn(state), 0) }));
  });
}

/** The parents under which it is newly possible: `under closed`, `after due`; '' for none. */
function furtherParents(before: Declaration, after: Declaration, verb: string, state: string | null): string {
  const [was, is] = [acceptsFor(before, verb, state), acceptsFor(after, verb, state)];
  const states = was.states && (is.states?.filter((one) => !was.states?.includes(one)) ?? ['other states']);
  const isLater = was.before !== null && was.before !== is.before;
  return [
    ...(states?.length ? [`under ${states.join(', ')}`] : []),
    ...(isLater ? [`after ${was.before}`] : []),
  ].join(' or ');
}

/** The conditions on the parent for a verb. */
function acceptsFor({ parent, machine }: Declaration, verb: string, state: string | null): Accepts {
  const isLimited =
    verb === 'create' || machine?.states.get(state ?? '')?.get(verb)?.whileParentAccepts === true;
  return parent !== null && isLimited ? parent.accepts : { states: null, before: null };
}

/** The effects of actions besides the new state: `set <field>` and `become <role>`. */
function effectsIn(declaration: Declaration): readonly string[] {
  const { roles } = declaration;
  const fields = actionFields(declaration);
  const granted = Object.keys(roles).filter((role) => roles[role]?.kind === 'granted');
  return [...[...fields.keys()].map((name) => `set ${name}`), ...granted.map((role) => `become ${role}`)];
}

/** For each role, the states in which it has these effects by an action. A field that no action sets is set by an update. */
function effectRows(declaration: Declaration, { rows }: Matrix, effects: readonly string[]): MatrixRow[] {
  const states = [...(declaration.machine?.states ?? [])];
  const fields = actionFields(declaration);
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
  // The former parent restricted all callers but the owner and clients, and gave the roles.
  const isMoved = before.parent !== null && before.parent.collection !== after.parent?.collection;
  if (isMoved && role !== 'owner' && role !== 'client') return [];
  const [was, is] = [before, after].map((declaration) => originOf(declaration, role));
  // Callers who have a new role, or get it in a new way, were everyone before.
  const formerRole = isDeepStrictEqual(was, is) ? role : 'everyone';
  return rows.find((row) => row.role === formerRole && row.verb === verb)?.states ?? [];
}

/** The source of a role; undefined for roles that are not declared. */
function originOf({ roles, parent }: Declaration, name: string) {
  if (name === 'owner') return parent?.ownedBy === 'parent' ? parent.collection : null;
  const role = roles[name];
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
  return `${role} may also ${verb}${where.length === 0 ? '' : ` in ${where.join(', ')}`} (${counted(records, 'record')})`;
}
