import { after, before } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { BrowserLog } from './browser-log.ts';

/** The console of a service, in a browser whose complaints are kept. */
export class ConsolePage {
  readonly page: Page;
  readonly log: BrowserLog;

  constructor(page: Page, log: BrowserLog) {
    this.page = page;
    this.log = log;
  }

  async open(opsUrl: string): Promise<void> {
    await this.page.goto(opsUrl);
  }

  section(id: string): Locator {
    return this.page.locator(`section#${id}`);
  }

  /** The summary at the top of the console. */
  get headline(): Locator {
    return this.page.locator('.headline');
  }

  /** Saves screenshots of the whole page in both widths and both color schemes. */
  async photograph(name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        await this.page.emulateMedia({ colorScheme });
        await this.page.setViewportSize({ width, height: 900 });
        const path = `${surroundings().runDirectory}/console/${name}-${width}-${colorScheme}.png`;
        await this.page.screenshot({ path, fullPage: true });
      }
  }
}

/** One page for all tests of a file. */
export function consolePage(): () => ConsolePage {
  let opened: ConsolePage | undefined;
  let close = async () => {};
  before(async () => {
    const browser = await connectChromium();
    close = () => browser.close();
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    context.setDefaultTimeout(20_000);
    const log = new BrowserLog();
    await log.watch(context);
    opened = new ConsolePage(await context.newPage(), log);
  });
  after(() => close());
  return () => opened as ConsolePage;
}
