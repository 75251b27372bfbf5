import { OperatorError } from '../base/errors.ts';
import { isJsonObject } from '../base/json-object.ts';
import { recordIdForm } from '../base/random.ts';
import { membersOf } from '../base/yaml/json-pointer.ts';
import { found, type Say } from '../base/yaml/mistakes.ts';
import { type LineMistake, readWithMistakes } from '../base/yaml/yaml-text.ts';
import type { Collection, ParentRule, Schema } from './collection.ts';
import { type DeclarationFile, toCollection, toParent } from './declaration-file.ts';
import { checkDeprecation, checkStates } from './declaration-rules.ts';
import { checkDeclaration } from './declaration-schema.ts';
import { readIndex } from './indexed-fields.ts';
import { checkFamily, checkParent, type DeclaredCollection } from './parent-rules.ts';
import { resolveSchema } from './resolve-schema.ts';
import { checkRoles } from './role-rules.ts';
import { checkSchema } from './schema-rules.ts';
import { checkSearch } from './searched-fields.ts';
import { compileCheck } from './validator.ts';

export interface CollectionFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface Mistake extends LineMistake {
  readonly path: string;
}

export const reservedNames =
  'me docs openapi token web health usage export metrics well-known events consumer invitations batch'.split(
    ' ',
  );
const nameForm = /^[a-z][a-z0-9-]{0,62}$/;

/** Throws one error with all mistakes of all files. */
export function readCollections(files: readonly CollectionFile[]): readonly Collection[] {
  const { collections, mistakes } = checkCollections(files);
  if (mistakes.length > 0) throw new OperatorError(textOf(mistakes));
  return collections;
}

export function checkCollections(files: readonly CollectionFile[]): {
  readonly collections: readonly Collection[];
  readonly mistakes: readonly Mistake[];
} {
  const read = files.map(readCollection);
  const right = read.flatMap(({ declared }) => declared ?? []);
  const all = new Map(right.map((declared) => [declared.collection.name, declared]));
  // Rules between declarations apply only if each is valid.
  if (right.length === files.length)
    for (const { declared, say } of read) if (declared !== null) checkFamily(declared, all, say);
  const mistakes = read.flatMap(({ path, mistakes: found }) => found().map((one) => ({ path, ...one })));
  return { collections: withChildren(right.map(({ collection }) => collection)), mistakes };
}

function withChildren(collections: readonly Collection[]): readonly Collection[] {
  return collections.map((collection) => {
    const children = collections.flatMap(({ name, parent }) =>
      parent?.collection === collection.name ? [{ name, parent }] : [],
    );
    return children.length === 0 ? collection : { ...collection, children };
  });
}

function textOf(mistakes: readonly Mistake[]): string {
  const count = mistakes.length === 1 ? 'One mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ path, line, sentence }) => `  ${path}:${line}: ${sentence}`);
  return `${count} in the declarations of collections:\n${lines.join('\n')}`;
}

interface ReadFile {
  readonly path: string;
  readonly declared: DeclaredCollection | null;
  readonly say: Say;
  readonly mistakes: () => readonly LineMistake[];
}

function readCollection({ name, path, text }: CollectionFile): ReadFile {
  const { data, say, mistakes } = readWithMistakes(text);
  checkName(name, say);
  const declared = mistakes().length > 0 ? null : readDeclaration(name, data, say);
  return { path, declared: mistakes().length > 0 ? null : declared, say, mistakes };
}

function checkName(name: string, say: Say): void {
  if (!nameForm.test(name)) {
    say(
      '',
      `must have a name of 1 to 63 small letters, digits and "-" that begins with a letter; ${found(name)}`,
    );
  } else if (reservedNames.includes(name)) {
    say('', `has a reserved name; ${found(name)}. Choose another`);
  }
}

function readDeclaration(name: string, data: unknown, say: Say): DeclaredCollection | null {
  const wrong = new Set<string | undefined>();
  const hasForm = checkDeclaration(data, (pointer, predicate) => {
    wrong.add(membersOf(pointer)[0]);
    say(pointer, predicate);
  });
  if (!isJsonObject(data)) return null;
  const file = data as unknown as DeclarationFile;
  // Rules between members apply only to valid ones.
  const areRight = (...members: readonly string[]) => members.every((member) => !wrong.has(member));
  if (areRight('states', 'editable', 'access', 'events')) checkStates(file, say);
  if (areRight('states', 'editable', 'access', 'roles', 'limits', 'schema')) checkRoles(file, say);
  if (isJsonObject(file.schema) && areRight('states', 'roles', 'parent', 'unique', 'schema'))
    checkParent(file, say);
  if (areRight('deprecated')) checkDeprecation(file, say);
  const fields = isJsonObject(file.schema)
    ? readFields(
        file.schema,
        areRight('index') ? file.index : [],
        areRight('search') ? file.search : [],
        areRight('parent') ? toParent(file) : null,
        say,
      )
    : null;
  if (!hasForm || fields === null) return null;
  return { collection: { ...toCollection(name, file), ...fields }, file };
}

function withParentField(schema: Schema, { field, collection }: ParentRule): Schema {
  const { properties, required = [] } = schema as { properties: Schema; required?: readonly string[] };
  const id = {
    type: 'string',
    pattern: recordIdForm.source,
    description: `The id of the record of ${collection} above this one. It cannot be changed.`,
  };
  return { ...schema, properties: { [field]: id, ...properties }, required: [field, ...required] };
}

/** Stops at the first step with mistakes. */
function readFields(
  given: Schema,
  index: readonly string[],
  search: readonly string[],
  parent: ParentRule | null,
  say: Say,
) {
  let isRight = true;
  checkSchema(given, '/schema', (pointer, predicate) => {
    isRight = false;
    say(pointer, predicate);
  });
  const resolved = isRight ? resolveSchema(given, '/schema', say) : null;
  if (resolved === null) return null;
  const schema = parent === null ? resolved : withParentField(resolved, parent);
  const fields = readIndex(index, schema, say);
  checkSearch(search, resolved, say);
  try {
    return { schema, index: fields, checkFields: compileCheck(schema, parent) };
  } catch (error) {
    const reason = (error as Error).message.replace(/^strict mode: /, '');
    say('/schema', `cannot be compiled in strict mode: ${reason}`);
    return null;
  }
}
