import { OperatorError } from '../../base/errors.ts';
import { found, readChoice, readMapping, type Say } from '../../base/yaml/mistakes.ts';
import { type LineMistake, readWithMistakes } from '../../base/yaml/read-with-mistakes.ts';
import { checkWhoActs, readAccess } from './access.ts';
import { type Collection, longestDescription, longestTitle, type Schema } from './collection.ts';
import { readDeprecation } from './deprecation.ts';
import { readEvents } from './events.ts';
import { readIndex } from './indexed-fields.ts';
import { readLimits } from './limits.ts';
import { resolveSchema } from './resolve-schema.ts';
import { checkSchema } from './schema-rules.ts';
import { readStates } from './states.ts';
import { compileCheck } from './validator.ts';

export interface CollectionFile {
  /** Of the collection: that of the file without what follows the dot. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface Mistake extends LineMistake {
  readonly path: string;
}

export const reservedNames =
  'me docs openapi token web health usage export metrics well-known events consumer'.split(' ');
const nameForm = /^[a-z][a-z0-9-]{0,62}$/;
const known =
  'schema title description index states editable access concurrency limits events deprecated'.split(' ');

/** The collections that the files declare, in their order. Throws one error with all the mistakes of all of them. */
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

/** The collection that a file declares, or every mistake in it. */
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
  const members = readMapping(data, '', known, say);
  if (members === null) return null;
  const machine = readStates(members.states, members.editable, say);
  const access = readAccess(members.access, say);
  checkWhoActs(machine, access, say);
  const read = {
    name,
    title: readText(members.title, '/title', longestTitle, say) ?? name,
    description: readText(members.description, '/description', longestDescription, say),
    machine,
    access,
    concurrency: readChoice(members.concurrency, '/concurrency', ['optional', 'required'], say),
    limits: readLimits(members.limits, say),
    events: readEvents(members.events, machine, say),
    deprecated: readDeprecation(members.deprecated, say),
  };
  const fields = readFields(members.schema, members.index, say);
  return fields === null ? null : { ...read, ...fields };
}

/** The steps build on each other, so the first with mistakes is the last. */
function readFields(
  given: unknown,
  index: unknown,
  say: Say,
): Pick<Collection, 'schema' | 'index' | 'checkFields'> | null {
  let isRight = true;
  const sayAndStop: Say = (pointer, predicate) => {
    isRight = false;
    say(pointer, predicate);
  };
  checkSchema(given, '/schema', sayAndStop);
  const schema = isRight ? resolveSchema(given as Schema, '/schema', say) : null;
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

function readText(value: unknown, pointer: string, most: number, say: Say): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value.trim();
  say(pointer, `must be a text of 1 to ${most} characters; ${found(value)}`);
  return null;
}
