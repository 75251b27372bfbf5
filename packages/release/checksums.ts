import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotReleasable } from './version.ts';

const name = 'SHA256SUMS';

/** In the form that `sha256sum --check` reads. */
export function writeChecksums(folder: string): void {
  writeFileSync(join(folder, name), linesOf(folder));
}

/** The number of files. None may be missing from the list, be changed or be gone. */
export function verifyChecksums(folder: string): number {
  const [expected, found] = [readFileSync(join(folder, name), 'utf8'), linesOf(folder)];
  if (expected !== found)
    throw new NotReleasable(
      `${folder} has other files than ${folder}/${name} lists. Run: npm run release -- --dry-run\nexpected:\n${expected}found:\n${found}`,
    );
  return found.split('\n').length - 1;
}

function linesOf(folder: string): string {
  const files = globSync('*', { cwd: folder }).filter((file) => file !== name);
  return files
    .sort()
    .map((file) => {
      const digest = createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex');
      return `${digest}  ${file}\n`;
    })
    .join('');
}
