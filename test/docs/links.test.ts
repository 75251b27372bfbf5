import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pages } from './documented-commands.ts';

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

/** Whether a page, or a file, is there, with the heading that a link names. */
function leadsSomewhere(target: string, heading: string | undefined): boolean {
  return existsSync(target) && (heading === undefined || headings(target).has(heading));
}

/** A merge once lost a section that two pages linked to. */
describe('the links of the documents', () => {
  for (const page of pages)
    it(`lead to existing files and headings: ${page}`, () => {
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      const targetOf = (path = '') => (path === '' ? page : join(dirname(page), path));
      const broken = links.filter(([, path, heading]) => !leadsSomewhere(targetOf(path), heading));
      assert.deepEqual(broken.map(String), []);
    });

  it('the index docs/README.md links every page of docs', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const missing = globSync('*.md', { cwd: 'docs' }).filter(
      (page) => page !== 'README.md' && !index.includes(`](${page})`),
    );
    assert.deepEqual(missing, []);
  });
});

/** Messages, help texts, tests and deploy files name pages, too. */
describe('the pages of docs that code mentions', () => {
  const sources = globSync(
    '{bin,src,web,packages,starter,collections,examples,deploy,test,bench,docs}/**/*.{ts,tsx,js,yaml,cfg,conf,service,html}',
    { exclude: (path) => /node_modules|^test\/docs\/links|\/(lib|dist)$/.test(String(path)) },
  ).concat('deploy/systemd/settings');

  it('exist, with their headings', () => {
    const broken = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(docs\/[\w/.-]+\.md)(?:#([\w-]+))?/g)]
        .filter(([, page, heading]) => !leadsSomewhere(String(page), heading))
        .map(([name]) => `${file}: ${name}`),
    );
    assert.deepEqual(broken, []);
  });
});
