import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { declarationsFolder } from '../services/declarations.ts';
/** The declarations of examples, as they are for people who are not new. */
export function exampleDeclarations(...names: readonly string[]): Readonly<Record<string, string>> {
  const paths = names.flatMap((name) => globSync(`examples/${name}/collections/*.yaml`));
  return Object.fromEntries(
    paths.map((path) => {
      const text = readFileSync(path, 'utf8')
        .replace(/, newcomer: [^,}]+/, '')
        .replace(/writes: \d+\/min/, 'writes: 1000/min');
      return [basename(path, '.yaml'), text];
    }),
  );
}

/** A folder for COLLECTIONS_DIR. */
export function exampleFolder(name: string): string {
  return declarationsFolder(exampleDeclarations(name));
}
