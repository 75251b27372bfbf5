import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../packages/client/src/index.ts';
import { until } from '../support/run/polling.ts';
import { startClientBrowser } from './client-browser.ts';

const streams = 'GET /api/consumer/v1/events';

const browser = await startClientBrowser();
after(() => browser.stop());

describe('one stream for all tabs of a browser', () => {
  async function showing(name: string): Promise<Page> {
    const tab = await browser.tab();
    await tab.evaluate(`(async () => {
      const token = await stage.token(${JSON.stringify(name)});
      globalThis.service = client.createClient({ url: serviceUrl, token: () => token });
      globalThis.heard = [];
      service.events.listen({ after: null, hear: ({ data }) => heard.push(data.id), missed: () => {} });
      globalThis.live = service.collections.notes.live();
    })()`);
    await sees(tab, 'live.status', (status) => status === 'live');
    return tab;
  }

  async function sees(tab: Page, what: string, willDo: (value: unknown) => boolean): Promise<unknown> {
    return until(() => tab.evaluate(what), willDo, `${what} does not become what it should`);
  }

  async function notesOf(name: string) {
    const token = await browser.stage.token(name);
    return createClient({ url: browser.stage.url, token: () => token }).collection('notes');
  }

  const opened = () => browser.stage.count(streams);

  it('opens once for five tabs, and moves to the next tab when its tab closes', async () => {
    const before = await opened();
    const tabs: Page[] = [];
    for (let number = 0; number < 5; number += 1) tabs.push(await showing('Ada'));
    assert.equal((await opened()) - before, 1);
    const notes = await notesOf('Ada');
    let count = 0;
    const everybodySees = async () => {
      await notes.create({ text: `note ${++count}` });
      for (const tab of tabs) await sees(tab, 'live.items.length', (length) => length === count);
    };
    await everybodySees();
    for (let handedOver = 1; tabs.length > 1; handedOver += 1) {
      // The tab that has waited longest holds the stream. An event during its closing is not lost.
      const [closing] = [tabs.shift()];
      await Promise.all([closing?.close(), notes.create({ text: `note ${++count}` })]);
      await everybodySees();
      assert.equal((await opened()) - before, 1 + handedOver);
    }
    await tabs[0]?.close();
  });

  it('resumes in all tabs after a cut connection', async () => {
    const tabs = [await showing('Ben'), await showing('Ben')];
    const notes = await notesOf('Ben');
    await browser.stage.cutAll();
    await notes.create({ text: 'one' });
    for (const tab of tabs) await sees(tab, 'live.items.length', (length) => length === 1);
    // Close the tab that holds the stream last, or the other one would open a stream.
    for (const tab of tabs.toReversed()) await tab.close();
  });

  it('is never shared with another caller', async () => {
    const before = await opened();
    const [ada, eve] = [await showing('Cas'), await showing('Eve')];
    assert.equal((await opened()) - before, 2);
    const { id } = await (await notesOf('Cas')).create({ text: 'mine' });
    await sees(ada, 'heard.join()', (heard) => heard === id);
    const other = await (await notesOf('Eve')).create({ text: 'hers' });
    await sees(eve, 'heard.join()', (heard) => heard === other.id);
    assert.equal(await ada.evaluate('heard.join()'), id);
    // Another user signs in, in the same tab.
    await ada.evaluate(`(async () => {
      const token = await stage.token('Eve');
      service.events.pause();
      live.close();
      globalThis.service = client.createClient({ url: serviceUrl, token: () => token });
      globalThis.live = service.collections.notes.live();
    })()`);
    await sees(ada, 'live.status', (status) => status === 'live');
    assert.equal((await opened()) - before, 2, 'the stream of the other tab will do');
    for (const tab of [ada, eve]) await tab.close();
  });
});
