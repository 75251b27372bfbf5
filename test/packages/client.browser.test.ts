import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ClientBrowser } from './client-browser.ts';
import type { cases } from './client-cases/all.ts';

/** What a browser does differently from Node: its fetch, its streams, its timers. client.node.test.ts has all cases. */
const inBrowser = [
  'says who the caller is, what it has used, and what there is',
  'makes, reads, changes, replaces and removes a record',
  'exports everything, or says that some is missing',
  'keeps a list alive: what is made, changed, moved and removed elsewhere is in it',
  'misses nothing when the connection is cut and the service is restarted',
  'ends wherever it is when it is told to',
] satisfies readonly (keyof typeof cases)[];

describe('@vestibule/client in Chromium', () => {
  let browser: ClientBrowser;
  let page: Page;
  before(async () => {
    browser = await ClientBrowser.start();
    page = await browser.tab();
  });
  after(() => browser.stop());

  for (const name of inBrowser) {
    it(name, () => page.evaluate(`runCase(${JSON.stringify(name)})`));
  }
});
