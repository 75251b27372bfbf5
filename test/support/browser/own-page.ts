import type { Page } from 'playwright-core';
import { connectChromium } from './chromium.ts';

/** A timeout for busy machines. No passing test waits that long. */
const patienceMs = 30_000;

/** User pages in a browser, and the errors of all of them. */
export async function ownPages() {
  const browser = await connectChromium();
  const errors: string[] = [];
  return {
    errors,
    /** A page of a new browser context, with its own cookies and storage. */
    async page(): Promise<Page> {
      const context = await browser.newContext({ locale: 'en-GB' });
      context.setDefaultTimeout(patienceMs);
      context.on('weberror', (error) => errors.push(String(error.error())));
      context.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      return context.newPage();
    },
    stop: () => browser.close(),
  };
}

/** From a page with a button for it, through the provider of `dev`, and back. */
export async function signInAsAda(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
