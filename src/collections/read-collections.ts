import { OperatorError } from '../base/errors.ts';
import { isJsonObject } from '../base/json-object.ts';
import { membersOf } from '../base/yaml/json-pointer.ts';
import { found, type Say } from '../base/yaml/mistakes.ts';
import { type LineMistake, readWithMistakes } from '../base/yaml/yaml-text.ts';
import type { Collection, Schema } from './collection.ts';
import { type DeclarationFile, toCollection } from './declaration-file.ts';
import { checkDeprecation, checkStates } from './declaration-rules.ts';
import { checkDeclaration } from './declaration-schema.ts';
import { readIndex } from './indexed-fields.ts';
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
  const read = files.map(readCollection);
  const mistakes = read.flatMap((one) => (isCollection(one) ? [] : one));
  if (mistakes.length > 0) throw new OperatorError(textOf(mistakes));
  return read.filter(isCollection);
}

function isCollection(read: Collection | readonly Mistake[]): read is Collection {
  return !Array.isArray(read);
}

function textOf(mistakes: readonly Mistake[]): string {
  const count = mistakes.length === 1 ? 'One mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ path, line, sentence }) => `  ${path}:${line}: ${sentence}`);
  return `${count} in the declarations of collections:\n${lines.join('\n')}`;
}

export function readCollection({ name, path, text }: CollectionFile): Collection | readonly Mistake[] {
  const { data, say, mistakes } = readWithMistakes(text);
  checkName(name, say);
  const collection = mistakes().length > 0 ? null : readDeclaration(name, data, say);
  const wrong = mistakes();
  if (collection !== null && wrong.length === 0) return collection;
  return wrong.map((mistake) => ({ path, ...mistake }));
}

function checkName(name: string, say: Say): void {
  if (!nameForm.test(name)) {
    say(
      '',
      `must have a name of 1 to 63 small letters, digits and "-" that begins with a letter; ${found(name)}`,
    );
  } else if (reservedNames.includes(name)) {
    say('', `has a name that is reserved, and needs another; ${found(name)}`);
  }
}

function readDeclaration(name: string, data: unknown, say: Say): Collection | null {
  const wrong = new Set<string | undefined>();
  const hasForm = checkDeclaration(data, (pointer, predicate) => {
    wrong.add(membersOf(pointer)[0]);
    say(pointer, predicate);
  });
  if (!isJsonObject(data)) return null;
  const file = data as unknown as DeclarationFile;
  // Only between members that are valid by themselves.
  const areRight = (...members: readonly string[]) => members.every((member) => !wrong.has(member));
  if (areRight('states', 'editable', 'access', 'events')) checkStates(file, say);
  if (areRight('states', 'editable', 'access', 'roles', 'limits', 'schema')) checkRoles(file, say);
  if (areRight('deprecated')) checkDeprecation(file, say);
  const fields = isJsonObject(file.schema)
    ? readFields(file.schema, areRight('index') ? file.index : [], say)
    : null;
  return hasForm && fields !== null ? { ...toCollection(name, file), ...fields } : null;
}

/** Stops at the first step with mistakes. */
function readFields(given: Schema, index: readonly string[], say: Say) {
  let isRight = true;
  checkSchema(given, '/schema', (pointer, predicate) => {
    isRight = false;
    say(pointer, predicate);
  });
  const schema = isRight ? resolveSchema(given, '/schema', say) : null;
  if (schema === null) return null;
  const fields = readIndex(index, schema, say);
  try {
    return { schema, index: fields, checkFields: compileCheck(schema) };
  } catch (error) {
    const reason = (error as Error).message.replace(/^strict mode: /, '');
    say('/schema', `is not one that can be checked strictly: ${reason}`);
    return null;
  }
}
