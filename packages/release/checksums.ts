import { hash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotReleasable } from './version.ts';

const name = 'SHA256SUMS';

/** In the form that `sha256sum --check` reads. The number of files. */
export function writeChecksums(folder: string): number {
  const lines = linesOf(folder);
  writeFileSync(join(folder, name), lines.join(''));
  return lines.length;
}

/** Another job made the folder. No file may be missing from the list, be changed or be gone. */
export function verifyChecksums(folder: string): void {
  const [expected, found] = [readFileSync(join(folder, name), 'utf8'), linesOf(folder).join('')];
  if (expected !== found)
    throw new NotReleasable(
      `${folder} has other files than ${folder}/${name} lists. Run: npm run release -- --dry-run\nexpected:\n${expected}found:\n${found}`,
    );
}

function linesOf(folder: string): readonly string[] {
  const files = globSync('*', { cwd: folder }).filter((file) => file !== name);
  return files.sort().map((file) => {
    const digest = hash('sha256', readFileSync(join(folder, file)));
    return `${digest}  ${file}\n`;
  });
}
