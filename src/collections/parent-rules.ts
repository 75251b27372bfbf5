import { pointerTo } from '../base/strict-json.ts';
import { found, listed, type Report, type ReportAt } from '../base/yaml/mistakes.ts';
import { type Collection, type Schema, statesOf, transitionsOf } from './collection.ts';
import type { Declaration } from './declaration.ts';
import { actionPointer, checkKnown, checkStateNames } from './declaration-rules.ts';
import type { DeclarationFile } from './declaration-schema.ts';
import { findProperty, kindOf, longestOf, queryParameters } from './indexed-fields.ts';
import { lineageOf } from './lineage.ts';
import { may } from './roles.ts';

/** Rules of `parent` and `unique`: first those inside one declaration, then those between a collection and its relatives. */

const maxLevels = 3;

export function checkParent(declaration: Declaration, say: Report): void {
  const { file } = declaration;
  checkUnique(file, say);
  const { parent, roles = {} } = file;
  const states = statesOf(declaration);
  const withParent = Object.entries(roles).filter(([, role]) => role?.parent_roles !== undefined);
  if (parent === undefined) {
    for (const [name] of say.isRight('/parent') ? withParent : [])
      say(`${pointerTo('/roles', name)}/parent_roles`, 'needs a parent. Declare "parent"');
    return;
  }
  for (const [name, role] of Object.entries(roles))
    if (role?.invited_by !== undefined)
      say(
        `${pointerTo('/roles', name)}/invited_by`,
        'is for collections without a parent. Invite people to the parent, and give the role "parent_roles" here, or let an action grant it',
      );
  const properties = propertiesOf(file.schema);
  if (Object.hasOwn(properties, parent.field))
    say('/parent/field', 'is in the schema already. Leave it out there: the service adds it');
  if (queryParameters.includes(parent.field))
    say('/parent/field', 'has a name that is reserved in queries. Choose another name');
  checkStateNames(typeof parent.counts === 'boolean' ? [] : parent.counts, '/parent/counts', states, say);
  checkCapacity(file, states, say);
}

function checkCapacity({ parent }: DeclarationFile, states: readonly string[], say: Report): void {
  const { capacity } = parent ?? {};
  if (capacity === undefined) return;
  const at = '/parent/capacity';
  checkStateNames(capacity.states, `${at}/states`, states, say);
  if (
    (capacity.field === undefined) === (capacity.number === undefined) &&
    say.isRight(`${at}/field`, `${at}/number`)
  )
    say(at, 'needs either "field" (of the parent) or "number"');
  const { overflow } = capacity;
  if (overflow === undefined) return;
  checkKnown(overflow, states, 'a declared state', `${at}/overflow`, say);
  if (capacity.states.includes(overflow) && states.includes(overflow))
    say(`${at}/overflow`, 'must be a state that is not in "states" of the capacity');
  const [initial = ''] = states;
  if (!capacity.states.includes(initial) && say.isRight(`${at}/states`))
    say(
      `${at}/states`,
      `must contain the initial state "${initial}": records that waited for a place move there`,
    );
}

const longestUniqueText = 500;

function checkUnique({ unique, parent, schema, states }: DeclarationFile, say: Report): void {
  const properties = propertiesOf(schema);
  const [initial = ''] = Object.keys(states ?? {});
  const overflow = parent?.capacity?.overflow ?? initial;
  const required = (schema.required ?? []) as readonly unknown[];
  for (const [index, rule] of unique.entries()) {
    const at = pointerTo('/unique', index);
    for (const [place, name] of rule.fields.entries()) {
      const pointer = pointerTo(`${at}/fields`, place);
      if (name === 'owner') {
        if (parent?.owned_by === 'parent')
          say(pointer, 'is the same for all records under a parent. Use "parent"');
      } else if (name === 'parent') {
        if (parent === undefined && say.isRight('/parent')) say(pointer, 'needs a parent. Declare "parent"');
      } else {
        const property = findProperty(name, schema, pointer, say);
        if (property && !required.includes(name))
          say(pointer, `must be in "required" of the schema; ${found(name)}`);
        else if (property && !isComparable(property))
          say(
            pointer,
            `must have the "type" string with a "maxLength" of at most ${longestUniqueText}, integer, number or boolean; ${found(name)}`,
          );
      }
    }
    const letters = rule.fields.reduce((sum, name) => sum + lengthOf(properties[name]), 0);
    if (rule.fields.length > 1 && letters > longestUniqueText)
      say(
        `${at}/fields`,
        `can have ${letters} characters together; at most ${longestUniqueText} fit an index. Lower a "maxLength", or take a field out`,
      );
    checkStateNames(rule.states ?? [], `${at}/states`, Object.keys(states ?? {}), say);
    if (rule.states?.includes(initial) && !rule.states.includes(overflow))
      say(
        `${at}/states`,
        `must contain "${overflow}", too: a record that waits there moves to "${initial}", where another could have its values`,
      );
  }
}

function isComparable(property: Schema): boolean {
  return kindOf(property) !== null && lengthOf(property) <= longestUniqueText;
}

function lengthOf(property: Schema | undefined): number {
  return property !== undefined && kindOf(property) === 'text' ? longestOf(property) : 0;
}

function propertiesOf({ properties = {} }: Schema): Readonly<Record<string, Schema>> {
  return properties as Readonly<Record<string, Schema>>;
}

/** A collection with the report of its mistakes. */
export interface DeclaredCollection {
  readonly collection: Collection;
  readonly say: Report;
}

/** The rules between a declaration and the collection above it. Null: a file that cannot be read. */
export function checkLineage(
  { collection, say }: DeclaredCollection,
  all: ReadonlyMap<string, DeclaredCollection | null>,
): void {
  const { parent } = collection;
  const find = (name: string) => all.get(name)?.collection;
  const lineage = lineageOf(collection, find);
  const decisive = ['/states', '/roles', '/access', '/parent'];
  if (say.isRight(...decisive)) checkReveals(collection, say);
  if (lineage.every(({ name }) => all.get(name)?.say.isRight(...decisive))) checkStuck(lineage, say);
  if (parent === null) return;
  const above = all.get(parent.collection);
  if (above === undefined) {
    const others = [...all.keys()].filter((name) => name !== collection.name);
    checkKnown(parent.collection, others, 'another collection', '/parent/collection', say);
  }
  if (!above) return;
  if (lineage.at(-1)?.parent) {
    const way = [...lineage.map(({ name }) => name), lineage.at(-1)?.parent?.collection].join(' under ');
    say('/parent/collection', `leads back to itself: ${way}. Remove one of these "parent"`);
    return;
  }
  if (lineage.length > maxLevels)
    say('/parent/collection', `makes ${lineage.length} levels; at most ${maxLevels} are possible`);
  if (above.say.isRight('/roles')) checkParentRoles(collection, above.collection, say);
  if (above.say.isRight('/states', '/schema')) checkAccepts(collection, above.collection, say);
  if (above.collection.parent?.onDelete === 'cascade' && parent.onDelete === 'restrict')
    say(
      '/parent/on_delete',
      `must not be "restrict": records of ${parent.collection} are deleted with their parent. Set it to "cascade" or "keep"`,
    );
}

function checkParentRoles({ roles }: Collection, above: Collection, say: ReportAt): void {
  const known = ['owner', ...Object.keys(above.roles)];
  for (const [name, role] of Object.entries(roles)) {
    if (role.kind !== 'parent') continue;
    for (const one of role.parentRoles)
      checkKnown(one, known, `a role in ${above.name}`, `${pointerTo('/roles', name)}/parent_roles`, say);
  }
}

function checkAccepts({ parent, machine }: Collection, above: Collection, say: ReportAt): void {
  const { accepts, capacity } = parent ?? {};
  const states = statesOf(above);
  for (const [index, state] of (accepts?.states ?? []).entries())
    checkKnown(state, states, `a state of ${above.name}`, pointerTo('/parent/accepts/states', index), say);
  const before = accepts?.before ?? null;
  if (before !== null && !['date', 'date-time'].includes(String(requiredField(above, before)?.format)))
    say(
      '/parent/accepts/before',
      `must be a required field of ${above.name} with the format date or date-time; ${found(before)}`,
    );
  const maxPlaces = capacity?.maxPlaces;
  if (typeof maxPlaces === 'string' && requiredField(above, maxPlaces)?.type !== 'integer')
    say('/parent/capacity/field', `must be a required integer field of ${above.name}; ${found(maxPlaces)}`);
  for (const { from, action, whileParentAccepts } of transitionsOf({ machine }))
    if (whileParentAccepts && accepts?.states === null && before === null)
      say(
        `${actionPointer(from, action)}/while_parent_accepts`,
        'has no effect without "parent.accepts". Declare that, or leave it out',
      );
}

function requiredField({ schema }: Collection, name: string): Schema | undefined {
  const isRequired = ((schema.required ?? []) as readonly unknown[]).includes(name);
  return isRequired ? propertiesOf(schema)[name] : undefined;
}

const longestName = 200;

/** Each person writes its own card, in a collection below this one or below its root. */
export function checkCards(
  { collection, say }: DeclaredCollection,
  all: ReadonlyMap<string, DeclaredCollection | null>,
): void {
  const { name, aliases } = collection;
  if (typeof aliases === 'boolean' || !say.isRight('/aliases', '/parent')) return;
  const cards = all.get(aliases.card);
  // A file with a mistake may be the right one.
  if (cards === null || cards?.say.isRight('/parent', '/aliases', '/schema') === false) return;
  const root = lineageOf(collection, (above) => all.get(above)?.collection).at(-1)?.name;
  const below = [...all].filter(([, one]) => [name, root].includes(one?.collection.parent?.collection));
  const known = below.map(([card]) => card);
  checkKnown(aliases.card, known, 'a collection below this one or its root', '/aliases/card', say);
  if (cards === undefined || !known.includes(aliases.card)) return;
  if (!cards.collection.aliases || cards.collection.parent?.ownedBy !== 'creator')
    say('/aliases/card', `must have "aliases", and owners who are the creators; ${found(aliases.card)}`);
  const field = requiredField(cards.collection, aliases.name) ?? {};
  if (kindOf(field) !== 'text' || longestOf(field) > longestName)
    say(
      '/aliases/name',
      `must be a required text of ${aliases.card} with a "maxLength" of at most ${longestName}; ${found(aliases.name)}`,
    );
}

/** R12: a state is permanent if the roles that leave it can be missing, and the owner can neither invite to one nor delete. */
function checkStuck(lineage: readonly [Collection, ...Collection[]], say: ReportAt): void {
  const [collection] = lineage;
  for (const [state, actions] of collection.machine?.states ?? []) {
    const exits = [...actions].filter(([, { to }]) => to !== state);
    const leaving = [...new Set(exits.flatMap(([, { by }]) => by))];
    if (exits.length === 0 || leaving.some((role) => isAlwaysThere(lineage, role))) continue;
    if (may(collection, 'delete', ['owner'], state)) continue;
    say(
      pointerTo('/states', state),
      `can become permanent: ${listed(leaving, 'and')} may be missing. Let the owner act, delete or invite`,
    );
  }
}

/** True if the role is never missing, or the owner can invite to it. A role by the parent depends on those that give it. */
function isAlwaysThere(lineage: readonly Collection[], role: string): boolean {
  const [collection, ...above] = lineage;
  if (collection === undefined) return false;
  if (role === 'owner' || role === 'everyone') return true;
  if (role === 'client') return collection.access.clients !== 'none';
  const rule = collection.roles[role];
  if (rule?.kind === 'parent') return rule.parentRoles.some((one) => isAlwaysThere(above, one));
  return rule?.kind === 'invited' ? rule.invitedBy.includes('owner') : rule?.kind === 'scope';
}

/** R14: a refusal tells a caller who may create that there is a record with these values. */
function checkReveals(collection: Collection, say: ReportAt): void {
  const { access, machine, parent, file } = collection;
  const all = machine === null ? [null] : [...machine.states.keys()];
  for (const [index, { fields, states, reveals }] of file.unique.entries()) {
    if (reveals || fields.includes('owner')) continue;
    const staysInside = parent === null || fields.includes('parent');
    const reads = (role: string) =>
      (states ?? all).every((state) => may(collection, 'read', [role, 'everyone'], state));
    if (staysInside && access.create.every(reads)) continue;
    say(
      pointerTo('/unique', index),
      'tells callers that a record exists which they cannot read. Add "owner" to its fields, or set "reveals: true" if they may know',
    );
  }
}
