import type { Browser, BrowserContext, Page } from 'playwright-core';
import { connectChromium } from './chromium.ts';

/** A timeout for busy machines. No passing test waits that long. */
const patienceMs = 30_000;

/** User pages in a browser, and their errors. */
export class OwnPages {
  readonly #browser: Browser;
  /** The errors of all pages. */
  readonly errors: string[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<OwnPages> {
    return new OwnPages(await connectChromium());
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }

  /** A new browser context, with its own cookies and storage. */
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
