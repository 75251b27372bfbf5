import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Long enough for a machine that does much else; nothing ever waits that long when it works. */
const patienceMs = 30_000;

/** A browser for the pages of others, at `localhost`: no other name resolves. */
export class OwnPages {
  readonly #browser: Browser;
  /** What went wrong in any of the pages. */
  readonly errors: string[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<OwnPages> {
    return new OwnPages(await launchChromium('localhost'));
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }

  /** A browser of its own, as far as cookies and storage go. */
  async context(): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(patienceMs);
    context.on('weberror', (error) => this.errors.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    return context;
  }
}

/** From a page with a button for it, through the provider of `dev`, and back. */
export async function signInAsAda(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
