import { OperatorError } from '../base/errors.ts';
import { isJsonObject, pointerTo } from '../base/strict-json.ts';
import { found, type Report, type ReportAt } from '../base/yaml/mistakes.ts';
import { type LineMistake, readWithMistakes } from '../base/yaml/yaml-text.ts';
import type { CheckFields, Collection, Schema } from './collection.ts';
import type { Declaration } from './declaration.ts';
import { toCollection } from './declaration-file.ts';
import { checkDeprecation, checkStates } from './declaration-rules.ts';
import { checkDeclaration, type DeclarationFile } from './declaration-schema.ts';
import { checkIndex, checkSearch } from './indexed-fields.ts';
import { checkCards, checkLineage, checkParent, type DeclaredCollection } from './parent-rules.ts';
import { resolveSchema } from './resolve-schema.ts';
import { checkRoles } from './role-rules.ts';
import { checkSchema } from './schema-rules.ts';
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
  const right = read.flatMap(({ declared, mistakes }) =>
    declared === null || mistakes().length > 0 ? [] : [declared.collection],
  );
  const all = new Map(files.map(({ name }, index) => [name, read[index]?.declared ?? null]));
  const declared = read.flatMap((one) => one.declared ?? []);
  for (const one of declared) checkLineage(one, all);
  for (const one of declared) checkCards(one, all);
  const mistakes = read.flatMap(({ path, mistakes: found }) => found().map((one) => ({ path, ...one })));
  return { collections: withChildren(right), mistakes };
}

function withChildren(collections: readonly Collection[]): readonly Collection[] {
  return collections.map((collection) => {
    const children = collections.flatMap(({ name, parent }) =>
      parent?.collection === collection.name ? [{ name, parent }] : [],
    );
    const showsCounts = children.some(({ parent }) => parent.counts.length > 0);
    return { ...collection, children, showsCounts };
  });
}

function textOf(mistakes: readonly Mistake[]): string {
  const count = mistakes.length === 1 ? 'One mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ path, line, sentence }) => `  ${path}:${line}: ${sentence}`);
  return `${count} in the declarations of collections:\n${lines.join('\n')}`;
}

/** `declared` is null if nothing of the file can be understood. */
function readCollection({ name, path, text }: CollectionFile) {
  const { data, say, mistakes } = readWithMistakes(text);
  const declared = mistakes().length > 0 ? null : readDeclaration(name, data, say);
  checkName(name, say);
  return { path, declared, mistakes };
}

function checkName(name: string, say: ReportAt): void {
  const form = '1 to 63 small letters, digits and "-" that begins with a letter';
  if (!nameForm.test(name)) say('', `must have a name of ${form}; ${found(name)}`);
  if (reservedNames.includes(name)) say('', `has a reserved name; ${found(name)}. Choose another`);
}

/** Reports every mistake in one round. A rule leaves out what another mistake may have caused. */
function readDeclaration(name: string, data: unknown, say: Report): DeclaredCollection | null {
  checkDeclaration(data, say);
  if (!isJsonObject(data)) return null;
  const given = isJsonObject(data.schema) && say.isRight('/schema') ? data.schema : null;
  if (given !== null) checkSchema(given, '/schema', say);
  const written = { ...data, schema: { properties: {}, ...given } } as unknown as DeclarationFile;
  const file = { ...written, schema: resolveRight(written.schema, say) };
  const collection = toCollection(name, file);
  // Without their names every reference to a state or a role would be a mistake.
  const isEmpty = (members: object | undefined) => members !== undefined && Object.keys(members).length === 0;
  if (!isEmpty(file.states) && !isEmpty(file.roles)) {
    checkRoles(collection, say);
    checkStates(collection, say);
    checkParent(collection, say);
  }
  if (say.isRight('/deprecated')) checkDeprecation(file, say);
  checkIndex(file.index, collection.schema, say);
  checkSearch(file.search, file.schema, say);
  return { collection: { ...collection, checkFields: compileFields(collection, say) }, say };
}

/** The schema without "$ref". A property with a mistake is {}, which no rule says anything about. */
function resolveRight(schema: Schema, say: Report): Schema {
  const { properties, required = [], $defs } = schema as { readonly [keyword: string]: Schema };
  const only = (isSound: (name: string) => boolean) => {
    const each = Object.entries(properties ?? {}).map(([name, one]) => [name, isSound(name) ? one : {}]);
    const all = say.isRight('/schema/required') ? required : Object.keys(properties ?? {});
    return { $defs, required: all, properties: Object.fromEntries(each) };
  };
  const isSound = (name: string) => say.isRight('/schema/$defs', pointerTo('/schema/properties', name));
  const sound = say.isRight('/schema') ? schema : only(isSound);
  return resolveSchema(sound, '/schema', say) ?? only(() => false);
}

function compileFields({ schema, parent }: Declaration, say: Report): CheckFields {
  const none: CheckFields = () => [];
  if (!say.isRight('/schema')) return none;
  try {
    return compileCheck(schema, parent);
  } catch (error) {
    const reason = (error as Error).message.replace(/^strict mode: /, '');
    say('/schema', `cannot be compiled in strict mode: ${reason}`);
    return none;
  }
}
