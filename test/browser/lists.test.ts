import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import { household } from './browser-household.ts';
import type { Visitor } from './browser-visitor.ts';

const withoutStates = 'schema: { required: [text], properties: { text: { type: string, maxLength: 60 } } }\n';

const folder = declarationsFolder({ memos: withoutStates });
const memos = await browsing({ COLLECTIONS_DIR: folder });

describe('a record that is older than the states of its collection', () => {
  it('is listed, without a state and actions', async () => {
    const { site } = memos;
    const visitor = await memos.signedIn('Ada');
    await visitor.elsewhere().make('memos', { text: 'Old' });
    await site.stopService();
    writeFileSync(
      `${folder}/memos.yaml`,
      `${withoutStates}states: { open: { close: closed }, closed: {} }\n`,
    );
    await site.acceptBreaking();
    await site.startService();
    await visitor.open('data', 'memos');
    await visitor.page.reload();
    await visitor.row('Old').waitFor();
    assert.equal(await visitor.row('Old').locator('.state').count(), 0);
    assert.equal(await visitor.row('Old').getByRole('button').count(), 1, 'only the menu');
    memos.log.takeErrors();
  });
});

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder(household) });
const ada = await running.signedIn('Ada');
const bob = await running.signedIn('Bob');
const { id: listId } = (await ada.elsewhere().make('lists', { title: 'Weekend' })).record;
const add = async (caller: ApiCaller, ...names: readonly string[]) => {
  for (const what of names) await caller.make('entries', { list: listId, what });
};
const invited = await ada.elsewhere().send('POST', `/lists/${listId}/invitations`, { role: 'member' });
const { code } = invited.json<{ code: string }>();
await bob.elsewhere().send('POST', '/invitations', { code });
await add(ada.elsewhere(), 'Eggs', 'Salt', 'Milk', 'Green tea', 'Black tea', 'Bread');
for (const visitor of [ada, bob]) {
  await visitor.open('data', 'lists', listId, 'open');
  await visitor.seesConnection('Live');
  await visitor.row('Bread').waitFor();
}

describe('a shopping list shared by two people', () => {
  const bar = ({ page }: Visitor) => page.getByRole('region', { name: /^Selected/ });

  it('a search shows its results, their number, and a way out when nothing is found', async () => {
    const { page } = ada;
    const box = page.getByRole('searchbox', { name: 'Search in “What”' });
    await box.fill('tea');
    const found = page.getByRole('status').filter({ hasText: 'found' });
    await found.getByText(/^2 /).waitFor();
    await ada.row('Milk').waitFor({ state: 'detached' });
    assert.equal(await ada.titles.count(), 2);
    // What another person adds is found, too.
    await add(bob.elsewhere(), 'Teapot');
    await ada.row('Teapot').waitFor();
    await found.getByText(/^3 /).waitFor();
    await box.fill('tea b');
    await ada.sees('Type at least 2 letters of each word.');
    await box.fill('teb');
    await ada.sees('Nothing found for “teb”');
    await found.getByText('Nothing found', { exact: true }).waitFor();
    await ada.isAccessible();
    await ada.button('Clear the search').click();
    await ada.row('Milk').waitFor();
    await ada.hasFocus(box);
    assert.equal(await box.inputValue(), '');
  });

  it('several records are bought in one request, and the other person sees it live', async () => {
    const { page } = ada;
    const { log, site } = running;
    const sent = log.countOf('POST', site.origin);
    await ada.choose('Milk', 'Select');
    await page.getByLabel('Select Green tea').check();
    await bar(ada).getByText(/^2 /).waitFor();
    await ada.isAccessible();
    await bar(ada).getByRole('button', { name: 'Buy' }).click();
    await ada.isAccessible();
    await ada.dialog.getByRole('button', { name: 'Buy' }).click();
    await ada.hears(/2 (records|entries)/);
    assert.equal(log.countOf('POST', site.origin), sent + 1);
    await bar(ada).waitFor({ state: 'detached' });
    for (const name of ['Milk', 'Green tea'])
      await bob.row(name).getByText('Bought', { exact: true }).waitFor();
  });

  it('a refused record is named, nothing changes, and the rest can be sent without it', async () => {
    await ada.elsewhere().make('lists', { title: 'Empty' });
    await ada.open('data', 'lists');
    await ada.choose('Empty', 'Select');
    await bar(ada).getByRole('button', { name: 'Select all' }).click();
    await bar(ada).getByRole('button', { name: 'Delete' }).click();
    await ada.dialog.getByRole('button', { name: 'Delete' }).click();
    await ada.dialog.getByText('Nothing has changed').waitFor();
    await ada.dialog.getByText('“Weekend”').waitFor();
    await ada.dialog.getByText('409 has_children').waitFor();
    await ada.isAccessible();
    assert.equal((await ada.elsewhere().all('lists')).length, 2);
    await ada.dialog.getByRole('button', { name: 'Leave it out' }).click();
    await ada.dialog.getByRole('heading', { name: /^Delete 1 / }).waitFor();
    await ada.dialog.getByRole('button', { name: 'Delete' }).click();
    await ada.hears(/1 (record|list)/);
    await ada.row('Empty').waitFor({ state: 'detached' });
    await ada.row('Weekend').waitFor();
    running.caused('409 /api/consumer/v1/batch');
  });

  it('the history shows each action with its role, and updates live', async () => {
    const { page } = ada;
    await ada.open('data', 'lists', listId, 'open');
    await ada.title('Milk').click();
    const timeline = page.getByRole('list', { name: 'History' });
    await timeline.getByText('Created by a member').waitFor();
    await timeline.getByText('“Buy” by a member').waitFor();
    assert.equal(await timeline.getByRole('listitem').count(), 2);
    await bob.button('Undo Milk').click();
    await timeline.getByText('“Undo” by a member').waitFor();
    await page.locator('.state').getByText('Open', { exact: true }).waitFor();
    await ada.isAccessible();
  });
});
