import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import { household } from './browser-household.ts';
import { Keyboard } from './browser-keyboard.ts';

const many = 65;
const plates = 13;

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder(household) });
const visitor = await running.signedIn('Me');
const { record } = await visitor.elsewhere().make('lists', { title: 'Party' });
const listId = record.id;
for (let n = 1; n <= many; n += 1)
  await visitor.elsewhere().make('entries', { list: listId, what: `${n % 5 ? 'Cup' : 'Plate'} ${n}` });

describe('a list of many records', () => {
  const bar = () => visitor.page.getByRole('region', { name: 'Selected records' });
  const entries = () => visitor.elsewhere().all('entries', `&list=${listId}`);

  it('is searched, selected and changed by keyboard only', async () => {
    const keyboard = new Keyboard(visitor.page);
    await visitor.open('data', 'lists', listId, 'open');
    await visitor.sees(`${many} records`);
    await keyboard.typeInto(visitor.page.getByRole('searchbox'), 'plate');
    await visitor.sees(`${plates} records found`);
    await keyboard.pressOn(visitor.button('Select'));
    await visitor.hasFocus(visitor.page.getByLabel('Select Plate 65'));
    await keyboard.press('Space');
    await keyboard.pressOn(visitor.page.getByLabel('Select Plate 60'), 'Space');
    await keyboard.pressOn(bar().getByRole('button', { name: 'Buy' }));
    await keyboard.pressOn(visitor.dialog.getByRole('button', { name: 'Buy' }));
    await visitor.sees('2 records: bought now.');
    await visitor.hasFocus(visitor.heading('Plate 65'));
    const bought = (await entries()).filter(({ state }) => state === 'bought').map(({ what }) => what);
    assert.deepEqual(bought.sort(), ['Plate 60', 'Plate 65']);
  });

  it('a batch whose answer is lost is repeated with the same key and done once', async () => {
    const { page } = visitor;
    const keys: (string | undefined)[] = [];
    await page.route('**/batch', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await visitor.button('Select').click();
    await bar().getByRole('button', { name: 'Select all' }).click();
    await bar().getByRole('button', { name: 'Delete' }).click();
    await visitor.dialog.getByRole('button', { name: 'Delete' }).click();
    await visitor.dialog.getByText('No answer from the service').waitFor();
    await visitor.dialog.getByRole('button', { name: 'Delete' }).click();
    await visitor.sees('10 records deleted.');
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.equal((await entries()).length, many - 10);
    running.caused('net::ERR_CONNECTION_RESET /api/consumer/v1/batch');
    await page.unroute('**/batch');
  });

  it('at most 50 records can be selected', async () => {
    await visitor.sees(`${plates - 10} records found`);
    await visitor.page.getByRole('searchbox').fill('');
    await visitor.heading('Cup 64').waitFor();
    const cards = visitor.page.locator('.children .record');
    while ((await visitor.button('Show more').count()) > 0) {
      const before = await cards.count();
      await visitor.button('Show more').click();
      await cards.nth(before).waitFor();
    }
    assert.equal(await cards.count(), many - 10);
    await visitor.button('Select').click();
    await bar().getByRole('button', { name: 'Select all' }).click();
    await bar().getByText('50 records selected. 50 is the most at once.').waitFor();
    assert.equal(await visitor.page.locator('input[type=checkbox]:not(:checked):disabled').count(), 5);
    await bar().getByRole('button', { name: 'Delete' }).click();
    await visitor.dialog.getByText('and 45 more').waitFor();
    await visitor.dialog.getByRole('button', { name: 'Delete' }).click();
    await visitor.sees('50 records deleted.');
    assert.equal((await entries()).length, 5);
  });
});
