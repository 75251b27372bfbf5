import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { part } from '../support/run/surroundings.ts';
import { BrowserLog, watchedContext } from './browser-log.ts';

/** A page for the console, for all tests of a suite, in a browser whose complaints are kept. At its end, the log is checked. */
export function consolePage() {
  const log = new BrowserLog();
  let browser: Browser;
  let page: Page;
  before(async () => {
    await part('frontend');
    browser = await connectChromium();
    page = await (await watchedContext(browser, log)).newPage();
  });
  after(async () => {
    await browser.close();
    log.isClean([new URL(page.url()).origin]);
  });
  const section = (id: string) => page.locator(`section#${id}`);
  return () => ({ page, log, section, headline: page.locator('.headline') });
}
