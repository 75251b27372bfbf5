import { readFileSync } from 'node:fs';

interface Release {
  readonly version: string;
  /** Written into the package when it is made; null in a clone. */
  readonly commit: string | null;
}

export function readRelease(): Release {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version, gitHead = null } = JSON.parse(manifest);
  return { version, commit: gitHead };
}
