import { readFileSync } from 'node:fs';

/** `commit` is null outside of a clone and of a package that was built in one. */
export function readRelease(): { readonly version: string; readonly commit: string | null } {
  const { version, gitHead } = JSON.parse(readText('package.json') ?? '{}');
  return { version, commit: gitHead ?? commitOfClone() };
}

/** Reads the files of git instead of starting git. A branch has its own file, or a line in `packed-refs`. */
function commitOfClone(): string | null {
  const head = readText('.git/HEAD')?.trim();
  if (!head?.startsWith('ref: ')) return head ?? null;
  const branch = head.slice('ref: '.length);
  const packed = readText('.git/packed-refs')?.split('\n') ?? [];
  const line = readText(`.git/${branch}`) ?? packed.find((one) => one.endsWith(` ${branch}`));
  return line?.slice(0, 40) ?? null;
}

/** A file of the clone or the package; null if it does not exist. */
function readText(path: string): string | null {
  try {
    return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  } catch {
    return null;
  }
}
