#!/usr/bin/env node

// Plain JavaScript without new syntax, so that an old Node.js can print this message.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  process.stderr.write(
    `vestibule: Vestibule needs Node.js 24 or newer, and this is ${process.version}. Install a newer version, or one for this folder only: npm install --save-dev node@24. In a clone of the project "npm ci" installs the version that "npx vestibule" uses.\n`,
  );
  process.exit(1);
}

// Node keeps the code it has compiled for the next start.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
// The bundle (lib) starts faster than the source. A clone runs it only while nothing in src, and no installed package, has
// changed since it was built. Copying programs can set other times of a file, but not ctime.
const { readdirSync, statSync } = await import('node:fs');
const { join } = await import('node:path');
const root = join(import.meta.dirname, '..');
const timesOf = (path) => statSync(join(root, path), { throwIfNoEntry: false });
function isCurrent() {
  const builtAt = timesOf('lib/main.js')?.mtimeMs;
  const files = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name));
  return ['node_modules/.package-lock.json', 'src', ...files].every(
    (path) => timesOf(path)?.ctimeMs < builtAt,
  );
}
const isClone = timesOf('src') !== undefined;
await import(isClone && !isCurrent() ? '../src/main.ts' : '../lib/main.js');
