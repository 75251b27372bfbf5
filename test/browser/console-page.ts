import { after, before } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { part } from '../support/run/surroundings.ts';
import { BrowserLog, watchedContext } from './browser-log.ts';

/** The console of a service, in a browser whose complaints are kept. */
export class ConsolePage {
  readonly page: Page;
  readonly log: BrowserLog;

  constructor(page: Page, log: BrowserLog) {
    this.page = page;
    this.log = log;
  }

  section(id: string): Locator {
    return this.page.locator(`section#${id}`);
  }

  /** The summary at the top of the console. */
  get headline(): Locator {
    return this.page.locator('.headline');
  }
}

/** One page for all tests of a suite. At its end, the log is checked. */
export function consolePage(): () => ConsolePage {
  let browser: Browser | undefined;
  let opened: ConsolePage | undefined;
  before(async () => {
    await part('frontend');
    browser = await connectChromium();
    const log = new BrowserLog();
    const context = await watchedContext(browser, log);
    opened = new ConsolePage(await context.newPage(), log);
  });
  after(async () => {
    await browser?.close();
    opened?.log.isClean([new URL(opened.page.url()).origin]);
  });
  return () => opened as ConsolePage;
}
