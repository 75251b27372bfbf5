#!/usr/bin/env node

// Plain JavaScript that every Node.js can read, so that one that is too old can say so.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  process.stderr.write(
    `vestibule: Vestibule needs Node.js 24 or newer, and this is ${process.version}. Install a newer one, for this folder alone with: npm install --save-dev node@24. In a clone of the project "npx vestibule" runs with the one that "npm ci" brings.\n`,
  );
  process.exit(1);
}

// Most of a start goes into a few hundred small files of TypeScript. Node keeps what came out of them for the
// next start, and with nothing left to strip of types it need not even load what strips them: so this file has none.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
// A clone is run from its source. Node strips no types below node_modules, so the package has it compiled instead.
const { existsSync } = await import('node:fs');
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source : '../lib/main.js');
