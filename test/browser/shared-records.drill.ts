import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';

const running = await browsing();
const stranger = (await running.signedIn('Somebody')).elsewhere();
const theirs = (await stranger.make('boards', { text: 'Theirs', size: 2 })).record.id;
const visitor = await running.signedIn('Me');

describe('a collection that everyone can read, in a browser', () => {
  const text = () => visitor.page.locator('main').innerText();
  const chip = (name: string) => visitor.page.getByRole('button', { name, exact: true });

  it('is announced as public before the first record is made', async () => {
    await visitor.open('data', 'boards');
    await visitor.newLink.click();
    await visitor.heading('New board').waitFor();
    assert.match(await visitor.page.title(), /^New board/);
    await visitor.sees(/Everybody who signs in can read/);
    await visitor.open('data', 'stones', 'new');
    await visitor.heading('New stone').waitFor();
    assert.doesNotMatch(await text(), /[Ee]verybody/, 'of a private collection');
  });

  it('"Mine" lists the own records only', async () => {
    await visitor.elsewhere().make('boards', { text: 'Mine', size: 1 });
    await visitor.open('data', 'boards');
    await visitor.title('Theirs').waitFor();
    await chip('Mine').click();
    await visitor.title('Theirs').waitFor({ state: 'detached' });
    await visitor.title('Mine').waitFor();
    assert.ok((await visitor.menuOf('Mine')).includes('Edit'));
    assert.equal(await visitor.titles.count(), 1);
  });

  it('"Mine" follows changes of the own records only', async () => {
    await visitor.seesConnection('Live');
    await stranger.make('boards', { text: 'Theirs, too', size: 3 });
    await visitor.elsewhere().make('boards', { text: 'Mine, too', size: 4 });
    await visitor.title('Mine, too').waitFor();
    assert.equal(await visitor.titles.count(), 2);
  });

  it("in everybody's list the records of others can only be read", async () => {
    await chip('All').click();
    for (const name of ['Mine', 'Mine, too', 'Theirs', 'Theirs, too']) await visitor.title(name).waitFor();
    assert.equal(await visitor.titles.count(), 4);
    assert.deepEqual(await visitor.menuOf('Theirs'), ['Open', 'Copy link', 'Select']);
    assert.equal(await visitor.row('Theirs').locator('button:not([aria-haspopup])').count(), 0);
    assert.equal(await visitor.page.locator('.connection').count(), 0, 'nothing tells it of changes');
    await visitor.isAccessible();
  });

  it("everybody's list can be filtered, sorted and reloaded", async () => {
    const order = visitor.page.getByLabel('Order');
    await order.selectOption('size');
    await visitor.titles.nth(3).getByText('Mine, too').waitFor();
    await chip('Pinned').click();
    assert.equal(await order.inputValue(), '-created_at');
    await visitor.titles.first().getByText('Mine, too').waitFor();
    await order.selectOption('-size');
    assert.equal(await chip('Pinned').getAttribute('aria-pressed'), 'false');
    await visitor.titles.nth(3).getByText('Mine').waitFor();
    assert.equal(await visitor.page.getByRole('alert').count(), 0);
    await stranger.make('boards', { text: 'The newest', size: 9 });
    await visitor.button('Load again').click();
    await visitor.title('The newest').waitFor();
  });

  it("the form of another person's record is refused", async () => {
    await visitor.open('data', 'boards', theirs);
    await visitor.page.getByRole('alert').getByText('It belongs to another person').waitFor();
    assert.equal(await visitor.page.locator('form').count(), 0);
    assert.equal(await visitor.button('Try again').count(), 0);
    await visitor.open('data', 'boards');
    await visitor.edit('Mine');
    await visitor.field('Text').fill('Mine, changed');
    await visitor.saveButton.click();
    await visitor.title('Mine, changed').waitFor();
  });
});
