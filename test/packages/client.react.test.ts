import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../packages/client/src/index.ts';
import { until } from '../support/run/polling.ts';
import { startClientBrowser } from './client-browser.ts';
import type { Shown } from './react-page/shown.ts';

const list = 'GET /api/consumer/v1/notes';

const browser = await startClientBrowser(`
  import { startReactPage } from './test/packages/react-page/page.tsx';
  Object.assign(globalThis, { startReactPage });
`);
after(() => browser.stop());

describe('@vestibule/client/react in Chromium', () => {
  /** A page of a caller that no other test uses, and the same caller elsewhere. */
  async function pageOf(name: string, options = '') {
    const { stage } = browser;
    const [token, page] = [await stage.token(name), await browser.tab()];
    const own = JSON.stringify(token);
    await page.evaluate(`startReactPage({ url: serviceUrl, token: () => ${own}, ${options} })`);
    const show = (shown: Shown) => page.evaluate(`show(${JSON.stringify(shown)})`);
    const count = (line: string) => stage.count(line);
    const api = createClient({ url: stage.url, token: () => token });
    return { page, show, count, api, notes: api.collection('notes') };
  }

  async function other(name: string) {
    const token = await browser.stage.token(name);
    return createClient({ url: browser.stage.url, token: () => token });
  }

  /** What a list or record shows once its status is one of these. */
  async function shows(page: Page, label: string, expected: string, status = 'live') {
    const part = page.getByLabel(label, { exact: true });
    const look = async () => `${await part.getAttribute('data-status')}: ${await part.innerText()}`;
    await until(look, (found) => found === `${status}: ${expected}`, `${label} does not show "${expected}"`);
  }

  it('two components share one list with one read, and follow changes from elsewhere', async () => {
    const { page, show, count, notes } = await pageOf('React, one list');
    const before = await count(list);
    const one = { of: 'notes', query: { limit: 9 } };
    await show({ lists: { first: one, second: one } });
    for (const label of ['first', 'second']) await shows(page, label, '');
    assert.equal((await count(list)) - before, 1);
    await notes.create({ text: 'one' });
    for (const label of ['first', 'second']) await shows(page, label, 'one');
    assert.equal((await count(list)) - before, 2);
    await show({ lists: { first: one } });
    await notes.create({ text: 'two' });
    await shows(page, 'first', 'two\none');
    await page.close();
  });

  it('after a change of query no render shows records of the former query', async () => {
    const { page, show, notes } = await pageOf('React, queries');
    for (const text of ['old', 'new']) await notes.create({ text });
    const first = { sort: 'created_at', limit: 1 };
    const last = { sort: '-created_at', limit: 1 };
    for (const [query, text] of [
      [first, 'old'],
      [last, 'new'],
      [first, 'old'],
    ] as const) {
      await show({ lists: { one: { of: 'notes', query } } });
      await shows(page, 'one', text);
    }
    const rendered = await page.evaluate('renderedLists()');
    assert.deepEqual(rendered, [`${JSON.stringify(first)} old`, `${JSON.stringify(last)} new`]);
    await page.close();
  });

  it('reads nothing without a query or an id', async () => {
    const { page, show, count } = await pageOf('React, nothing');
    const before = await count('GET');
    await show({ lists: { all: { of: 'notes', query: null } }, records: { one: { of: 'notes', id: null } } });
    await shows(page, 'all', '', 'off');
    await shows(page, 'one', 'not read', 'off');
    assert.equal(await count('GET'), before);
    await page.close();
  });

  it('a record shows its changes, and null after its deletion', async () => {
    const { page, show, count, notes } = await pageOf('React, one record');
    const { id } = await notes.create({ text: 'one' });
    const line = `GET /api/consumer/v1/notes/${id}`;
    await show({ records: { note: { of: 'notes', id } } });
    await shows(page, 'note', 'one');
    for (const text of ['a', 'b', 'c']) await notes.create({ text });
    await notes.update(id, { text: 'changed' });
    await shows(page, 'note', 'changed');
    // One more read if the event of its creation came after the first read.
    assert.ok((await count(line)) <= 3, 'it is not read again for other records');
    await notes.remove(id);
    await shows(page, 'note', 'none');
    await page.close();
  });

  it('records that everyone can read show the changes of other people', async () => {
    const [here, ada] = [await pageOf('React, a reader'), await other('React, a writer')];
    const { id } = await ada.collection('items').create({ title: 'Drill' });
    const issue = await ada.collection('issues').create({ title: 'Slow' });
    const comment = await ada.collection('comments').create({ issue: issue.id, text: 'yes' });
    await here.show({
      lists: { comments: { of: 'comments', query: { issue: issue.id } } },
      records: { item: { of: 'items', id }, comment: { of: 'comments', id: comment.id } },
    });
    await shows(here.page, 'item', 'available');
    await here.api.collection('items').act(id, 'request');
    await ada.collection('items').act(id, 'lend', { due: '2026-12-24' });
    await shows(here.page, 'item', 'lent');
    await ada.collection('comments').update(comment.id, { text: 'no' });
    for (const label of ['comment', 'comments']) await shows(here.page, label, 'no');
    await here.page.close();
  });

  it('a list that cannot be read shows the reason, and is read again when remounted', async () => {
    const { page, show } = await pageOf('React, refused');
    const lists = { wrong: { of: 'notes', query: { colour: 'red' } } };
    await show({ lists });
    await page.getByText('A query parameter is').waitFor();
    assert.equal(await page.getByLabel('wrong').getAttribute('data-status'), 'ended');
    await browser.stage.arrange({
      on: `${list}?colour=red`,
      what: { status: 200, body: { items: [], next: null } },
    });
    await show({});
    // React may render later, and both changes at once.
    await page.getByLabel('wrong').waitFor({ state: 'detached' });
    await show({ lists });
    await shows(page, 'wrong', '');
    await page.close();
  });

  it('unmounting aborts the read and closes the stream', async () => {
    const held = `fetch: (address, options) => address.includes('/notes')
      ? new Promise((_, reject) => { options.signal.onabort = () => reject(globalThis.aborted = options.signal.reason); })
      : fetch(address, options)`;
    const { page, show } = await pageOf('React, unmounted', held);
    await show({ lists: { notes: { of: 'notes' }, boards: { of: 'boards' } } });
    await shows(page, 'boards', '', 'own');
    await show({});
    const ends = () => page.evaluate('[globalThis.aborted?.name, api.events.status].join()');
    await until(ends, 'AbortError,off', 'something goes on');
    await page.close();
  });

  it('an action shows its errors and ignores a second click while it runs', async () => {
    const { page, show, count, notes } = await pageOf('React, an action');
    await show({ hasForm: true, lists: { notes: { of: 'notes' } } });
    const said = page.locator('output');
    await page.getByRole('button', { name: 'Add ""' }).click();
    await said.getByText('schema').waitFor();
    const before = await count('POST /api/consumer/v1/notes');
    await page.getByRole('button', { name: 'Add "fine"' }).dblclick();
    await shows(page, 'notes', 'fine');
    await said.getByText('done').waitFor();
    assert.equal((await count('POST /api/consumer/v1/notes')) - before, 1);
    assert.equal((await notes.page()).items.length, 1);
    await page.close();
  });

  it('a slow render never shows two states of a list in one commit', async () => {
    const { page, notes } = await pageOf('React, slow');
    for (let round = 1; round <= 3; round += 1) {
      const slow = { count: 20, round };
      await page.evaluate(`showLater(${JSON.stringify({ slow })})`);
      await notes.create({ text: `${round}` });
      await page
        .locator(`ol[data-round="${round}"] li`, { hasText: `${round}` })
        .nth(19)
        .waitFor();
    }
    assert.equal(await page.evaluate('tornCommits()'), 0);
    await page.close();
  });
});
