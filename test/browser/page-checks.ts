import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const run = "axe.run(document, { resultTypes: ['violations'], iframes: false })";
const schemes = ['light', 'dark'] as const;

interface Result {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** The serious and critical findings of axe on a page, in the light and the dark scheme. */
export async function findingsOn(page: Page): Promise<string[]> {
  // The debugger puts it in, which no Content-Security-Policy forbids.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  const found: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<Result>(run);
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      found.push(...nodes.map((node) => `${id} (${colorScheme}): ${node.html} ${node.failureSummary}`));
    }
  }
  return found;
}

/** Nothing on the page is wider than a window of this width, which stays. */
export async function fits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  assert.ok(wide <= width, `The page is ${wide} pixels wide in a window of ${width}.`);
}
