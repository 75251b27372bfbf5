import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing, describeNetworkLog } from './browser.ts';
import { findingsOn } from './browser-axe.ts';
import { startHouseholdSite } from './browser-household.ts';
import { personNamed } from './browser-person.ts';
import { startBrowserSite } from './browser-site.ts';
import type { Visitor } from './browser-visitor.ts';

const withoutStates = 'schema: { required: [text], properties: { text: { type: string, maxLength: 60 } } }\n';

describe('a record that is older than the states of its collection', () => {
  const folder = declarationsFolder({ memos: withoutStates });
  const running = browsing(() => startBrowserSite({ COLLECTIONS_DIR: folder }));

  it('is listed, without a state and actions', async () => {
    const { site } = running();
    const visitor = await running().visitor();
    await visitor.signIn(personNamed('Ada'));
    await visitor.sees(/^usr_/);
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
    await visitor.heading('Old').waitFor();
    assert.equal(await visitor.page.locator('.record .state').count(), 0);
  });
});

describe('a shopping list shared by two people', () => {
  const running = browsing(startHouseholdSite);
  let [owner, member]: Visitor[] = [];
  let listId = '';
  const [ada, bob] = [() => owner as Visitor, () => member as Visitor];
  const add = async (caller: ApiCaller, ...names: readonly string[]) => {
    for (const what of names) await caller.make('entries', { list: listId, what });
  };
  const bar = ({ page }: Visitor) => page.getByRole('region', { name: 'Selected records' });
  const dialog = ({ page }: Visitor) => page.getByRole('dialog');
  const card = ({ page }: Visitor, name: string) => page.locator('.record', { hasText: name });
  before(async () => {
    owner = await running().visitor();
    await owner.signIn(personNamed('Ada'));
    await owner.sees(/^usr_/);
    member = await running().visitor();
    await member.signIn(personNamed('Bob'));
    await member.sees(/^usr_/);
    const { record } = await ada().elsewhere().make('lists', { title: 'Weekend' });
    listId = String(record.id);
    const invited = await ada().elsewhere().send('POST', `/lists/${listId}/invitations`, { role: 'member' });
    const { code } = invited.json<{ code: string }>();
    await bob().elsewhere().send('POST', '/invitations', { code });
    await add(ada().elsewhere(), 'Milk', 'Green tea', 'Black tea', 'Bread');
    for (const visitor of [ada(), bob()]) {
      await visitor.open('data', 'lists', listId, 'open');
      await visitor.seesConnection('Live');
      await visitor.heading('Bread').waitFor();
    }
  });

  it('a search shows its results, their number, and a way out when nothing is found', async () => {
    const { page } = ada();
    const box = page.getByRole('searchbox', { name: 'Search in “What”' });
    const count = page.locator('[aria-live=polite]', { hasText: 'found' });
    await box.fill('tea');
    await count.getByText('2 records found').waitFor();
    assert.equal(await page.locator('.children .record').count(), 2);
    // What another person adds is found, too.
    await add(bob().elsewhere(), 'Teapot');
    await count.getByText('3 records found').waitFor();
    await box.fill('tea b');
    await ada().sees('Type at least 2 letters of each word.');
    await box.fill('teb');
    await count.getByText('Nothing found').waitFor();
    await ada().sees('Nothing found for “teb”');
    assert.deepEqual(await findingsOn(page), []);
    await ada().button('Clear the search').click();
    await ada().heading('Milk').waitFor();
    await box.and(page.locator(':focus')).waitFor();
    assert.equal(await box.inputValue(), '');
  });

  it('several records are bought in one request, and the other person sees it live', async () => {
    const { page } = ada();
    const { log, site } = running();
    const sent = log.countOf('POST', site.origin);
    await ada().button('Select').click();
    for (const name of ['Select Milk', 'Select Green tea']) await page.getByLabel(name).check();
    await bar(ada()).getByText('2 records selected').waitFor();
    assert.deepEqual(await findingsOn(page), []);
    await bar(ada()).getByRole('button', { name: 'Buy' }).click();
    assert.deepEqual(await findingsOn(page), []);
    await dialog(ada()).getByRole('button', { name: 'Buy' }).click();
    await ada().sees('2 records: bought now.');
    assert.equal(log.countOf('POST', site.origin), sent + 1);
    await bar(ada()).waitFor({ state: 'detached' });
    for (const name of ['Milk', 'Green tea'])
      await card(bob(), name).locator('.state').getByText('Bought').waitFor();
  });

  it('a refused record is named, nothing changes, and the rest can be sent without it', async () => {
    const { page } = ada();
    await ada().elsewhere().make('lists', { title: 'Empty' });
    await ada().open('data', 'lists');
    await ada().heading('Empty').waitFor();
    await ada().button('Select').click();
    await bar(ada()).getByRole('button', { name: 'Select all' }).click();
    await bar(ada()).getByRole('button', { name: 'Delete' }).click();
    await dialog(ada()).getByRole('button', { name: 'Delete' }).click();
    await dialog(ada()).getByText('Nothing has changed').waitFor();
    await dialog(ada()).getByText('The service refused “Weekend”').waitFor();
    await dialog(ada()).getByText('It is not empty.').waitFor();
    assert.deepEqual(await findingsOn(page), []);
    assert.equal((await ada().elsewhere().all('lists')).length, 2);
    await dialog(ada()).getByRole('button', { name: 'Leave it out' }).click();
    await dialog(ada()).getByRole('heading', { name: 'Delete 1 record?' }).waitFor();
    await dialog(ada()).getByRole('button', { name: 'Delete' }).click();
    await ada().sees('1 record deleted.');
    await card(ada(), 'Empty').waitFor({ state: 'detached' });
    await ada().heading('Weekend').waitFor();
    assert.deepEqual(running().log.takeErrors(), ['409 /api/consumer/v1/batch']);
  });

  it('the history shows each action with its role, and updates live', async () => {
    const { page } = ada();
    await ada().open('data', 'lists', listId, 'open');
    await ada().link('History of Milk').click();
    const timeline = page.getByRole('list', { name: 'History' });
    await timeline.getByText('Created by a member').waitFor();
    await timeline.getByText('“Buy” by a member').waitFor();
    assert.equal(await timeline.getByRole('listitem').count(), 2);
    await bob().button('Undo Milk').click();
    await timeline.getByText('“Undo” by a member').waitFor();
    await ada().page.locator('.state').getByText('Open', { exact: true }).waitFor();
    assert.deepEqual(await findingsOn(page), []);
  });

  describeNetworkLog(running);
});
