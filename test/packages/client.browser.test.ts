import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ClientBrowser } from './client-browser.ts';
import { cases } from './client-cases/all.ts';

describe('@vestibule/client in Chromium', () => {
  let browser: ClientBrowser;
  let page: Page;
  before(async () => {
    browser = await ClientBrowser.start();
    page = await browser.tab();
  });
  after(() => browser.stop());

  for (const name of Object.keys(cases)) {
    it(name, () => page.evaluate(`runCase(${JSON.stringify(name)})`));
  }
});
