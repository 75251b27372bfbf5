import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pages } from './documented-commands.ts';

/** Every `metric{label}` of a page. */
function series(page: string): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  return [...readFileSync(page, 'utf8').matchAll(/`(vestibule_[a-z_]+)\{([^}]+)\}/g)].map(
    ([, metric = '', inside = '']) => ({
      metric,
      labels: inside.split(',').map((label) => String(label.split('=')[0]).trim()),
    }),
  );
}

describe('what several documents say', () => {
  it('is the same of the labels of a metric', () => {
    const known = new Map(series('docs/operations.md').map(({ metric, labels }) => [metric, labels]));
    assert.ok(known.size > 10);
    for (const page of pages)
      for (const { metric, labels } of series(page))
        for (const label of labels)
          assert.ok(known.get(metric)?.includes(label), `${page}: ${metric} ${label}`);
  });

  it('is the same of the Node.js that is needed', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const needed = engines.node.replace('>=', '');
    for (const page of ['README.md', 'docs/frontend.md']) {
      const text = readFileSync(page, 'utf8');
      const sentence = `Vestibule needs Node.js ${needed} or newer; in a clone \`npm ci\` installs it, and Node.js 20 is enough for that.`;
      assert.ok(text.replaceAll(/\s+/g, ' ').includes(sentence), page);
    }
  });
});
