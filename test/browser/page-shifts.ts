import type { Page } from 'playwright-core';

/** A move of what stands, by the share of the window that moved and how far. */
const largest = 0.05;

/** Collects the moves of a page's content that no key or click explains, from its next load on. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value, sources } of list.getEntries())
        if (!hadRecentInput && value > ${largest})
          shifts.push([value, location.hash, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80))].join(' '));
    }).observe({ type: 'layout-shift', buffered: true });`);
}

/** The moves that were too large since the last time. */
export function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate('window.shifts?.splice(0) ?? []');
}
