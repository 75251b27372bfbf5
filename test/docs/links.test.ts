import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pages } from './documented-commands.ts';

/** The names by which GitHub links to headings. */
function headings(page: string): ReadonlySet<string> {
  const lines = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...lines].map(([, text]) =>
      String(text)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** A merge once lost a whole section that two other pages led to, and nobody noticed. */
describe('the links of README and docs', () => {
  for (const page of pages)
    it(`lead somewhere: ${page}`, () => {
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      const broken = links.filter(([, path, heading]) => {
        const target = path === '' ? page : join(dirname(page), String(path));
        return !existsSync(target) || (heading !== undefined && !headings(target).has(heading));
      });
      assert.deepEqual(
        broken.map(([link]) => link),
        [],
      );
    });
});
