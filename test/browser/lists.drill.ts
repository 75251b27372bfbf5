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
  const bar = () => visitor.page.getByRole('region', { name: 'Selected' });
  /** The records that a batch of the second test leaves. */
  let left = many;
  const entries = () => visitor.elsewhere().all('entries', `&list=${listId}`);

  it('is searched, selected and changed by keyboard only', async () => {
    const keyboard = new Keyboard(visitor.page);
    await visitor.open('data', 'lists', listId, 'open');
    await visitor.page.locator('.children header').getByText(`${many}`, { exact: true }).waitFor();
    await keyboard.typeInto(visitor.page.getByRole('searchbox'), 'plate');
    await visitor.page.locator('.children header').getByText(`${plates}`, { exact: true }).waitFor();
    await keyboard.goTo(visitor.title('Plate 65'));
    await keyboard.press('x');
    await visitor.page.getByLabel('Select Plate 65').and(visitor.page.locator(':checked')).waitFor();
    await keyboard.press('ArrowDown');
    await visitor.hasFocus(visitor.title('Plate 60'));
    await keyboard.press('Space');
    await visitor.page.getByLabel('Select Plate 60').and(visitor.page.locator(':checked')).waitFor();
    await keyboard.pressOn(bar().getByRole('button', { name: 'Buy' }));
    await keyboard.pressOn(visitor.dialog.getByRole('button', { name: 'Buy' }));
    await bar().waitFor({ state: 'detached' });
    await visitor.hasFocus(visitor.title('Plate 65'));
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
    await visitor.choose('Plate 65', 'Select');
    await bar().getByRole('button', { name: 'Select all' }).click();
    left = many - Number.parseInt(await bar().getByRole('status').innerText(), 10);
    await bar().getByRole('button', { name: 'Delete' }).click();
    await visitor.dialog.locator('.danger').click();
    await visitor.dialog.getByText('No answer from the service').waitFor();
    await visitor.dialog.locator('.danger').click();
    await bar().waitFor({ state: 'detached' });
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.equal((await entries()).length, left);
    running.caused('net::ERR_CONNECTION_RESET /api/consumer/v1/batch');
    await page.unroute('**/batch');
  });

  it('at most 50 records can be selected', async () => {
    await visitor.page.getByRole('searchbox').fill('');
    await visitor.title('Cup 64').waitFor();
    await visitor.titles.last().scrollIntoViewIfNeeded();
    await visitor.title('Cup 1').waitFor();
    assert.equal(await visitor.titles.count(), left);
    await visitor.choose('Cup 64', 'Select');
    await bar().getByRole('button', { name: 'Select all' }).click();
    await bar().getByText('50 entries selected.').waitFor();
    assert.equal(
      await visitor.page.locator('input[type=checkbox]:not(:checked):disabled').count(),
      left - 50,
    );
    await bar().getByRole('button', { name: 'Delete' }).click();
    await visitor.dialog.getByText('and 45 more').waitFor();
    await visitor.dialog.locator('.danger').click();
    await bar().waitFor({ state: 'detached' });
    assert.equal((await entries()).length, left - 50);
  });
});
