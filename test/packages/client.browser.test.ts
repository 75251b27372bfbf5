import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../packages/client/src/index.ts';
import { until } from '../support/polling.ts';
import { ClientBrowser } from './client-browser.ts';
import type { cases } from './client-cases/all.ts';

/** What a browser does differently from Node: its fetch, its streams, its timers. client.node.test.ts has all cases. */
const inBrowser = [
  'says who the caller is, what it has used, and what there is',
  'makes, reads, changes, replaces and removes a record',
  'makes, changes, moves and removes records in one request, and knows their versions',
  'exports everything, or says that some is missing',
  'keeps a list alive: what is made, changed, moved and removed elsewhere is in it',
  'keeps a list of records alive that everyone reads, and one of shared records',
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

  it('two tabs of a person share one event stream, and the second opens one when the first closes', async () => {
    const { stage } = browser;
    const streams = () => stage.count('GET /api/consumer/v1/events');
    const token = await stage.token('Two tabs');
    const notes = createClient({ url: stage.url, token: () => token }).collection('notes');
    const before = await streams();
    const sees = (tab: Page, count: number) =>
      until(
        () => tab.evaluate('live.status + live.items?.length'),
        (found) => found === `live${count}`,
        `a tab does not show ${count} notes`,
      );
    const show = async () => {
      const tab = await browser.tab();
      await tab.evaluate(`
        globalThis.live = client.createClient({ url: serviceUrl, token: () => ${JSON.stringify(token)} })
          .collections.notes.live();
        null`);
      await sees(tab, 0);
      return tab;
    };
    const [first, second] = [await show(), await show()];
    await notes.create({ text: 'for both' });
    for (const tab of [first, second]) await sees(tab, 1);
    assert.equal((await streams()) - before, 1);
    await first.close();
    await notes.create({ text: 'for the second' });
    await sees(second, 2);
    assert.equal((await streams()) - before, 2);
    await second.close();
  });
});
