import { OperatorError } from '../base/errors.ts';
import type { Collection } from '../collections/collection.ts';
import { declarationSchema } from '../collections/declaration-schema.ts';
import { type Matrix, matrixOf } from '../collections/matrix.ts';
import { readCollections } from '../collections/read-collections.ts';
import { readCollectionFiles } from '../config/files.ts';
import { typesDocument } from '../records/types/types-document.ts';

/** The declarations in a folder, without other settings. Null is the default folder. */
export function declaredIn(folder: string | null): readonly Collection[] {
  const declared = readCollections(readCollectionFiles(folder));
  if (declared.length > 0) return declared;
  throw new OperatorError(
    `There are no collections in "${folder ?? 'collections'}": no file there ends in .yaml or .yml. Name the folder in the command, or in COLLECTIONS_DIR.`,
  );
}

/** The matrix of each collection in a folder: what each role may do in each state. */
export function declaredMatrices(folder: string | null): readonly Matrix[] {
  return declaredIn(folder).map(matrixOf);
}

export function declaredTypes(folder: string | null): string {
  return typesDocument(declaredIn(folder));
}

export function schemaText(): string {
  return `${JSON.stringify(declarationSchema, null, 2)}\n`;
}
