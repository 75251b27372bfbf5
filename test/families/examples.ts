import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { declarationsFolder } from '../support/declared-processes.ts';

/** The declarations of an example, as they are for people who are not new: a folder for COLLECTIONS_DIR. */
export function exampleFolder(name: string): string {
  const files = globSync(`examples/${name}/collections/*.yaml`).map((path) => {
    const text = readFileSync(path, 'utf8')
      .replace(/, newcomer: [^,}]+/, '')
      .replace(/writes: \d+\/min/, 'writes: 1000/min');
    return [basename(path, '.yaml'), text] as const;
  });
  return declarationsFolder(Object.fromEntries(files));
}
