import { OperatorError } from '../../base/errors.ts';
import type { Collection } from './collection.ts';
import { type CollectionFile, type Mistake, readCollection } from './read-collection.ts';

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
