import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../packages/client/src/index.ts';
import { until } from '../support/run/polling.ts';
import { startClientBrowser } from './client-browser.ts';
import type { cases } from './client-cases/all.ts';

/** What a browser does differently from Node: its fetch, its streams, its timers. client.node.test.ts has all cases. */
const inBrowser = [
  'me(), usage() and overview() return the caller, its usage and the collections',
  'create, get, update, replace and remove work on a record',
  'a batch creates, updates, acts and deletes, and returns records with versions',
  'export() yields all records, and throws if the response is incomplete',
  'a live list follows creation, update, change of state and deletion elsewhere',
  'live lists of public and of shared records follow changes by other people',
  'a live list misses no change across cut connections and a restart',
  'an abort signal ends a request, a wait for a retry and a live list',
] satisfies readonly (keyof typeof cases)[];

const browser = await startClientBrowser();
const page = await browser.tab();
after(() => browser.stop());

describe('@vestibule/client in Chromium', () => {
  for (const name of inBrowser) {
    it(name, () => page.evaluate(`runCase(${JSON.stringify(name)})`));
  }

  it('two tabs share one event stream; the second opens its own when the first closes', async () => {
    const { stage } = browser;
    const streams = () => stage.count('GET /api/consumer/v1/events');
    const token = await stage.token('Two tabs');
    const notes = createClient({ url: stage.url, token: () => token }).collection('notes');
    const before = await streams();
    const shown = 'live.status + live.items?.length';
    const sees = (tab: Page, count: number) =>
      until(() => tab.evaluate(shown), `live${count}`, `a tab does not show ${count} notes`);
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
