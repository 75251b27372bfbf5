import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';

const running = await browsing();
const stranger = (await running.signedIn('Somebody')).elsewhere();
const theirs = (await stranger.make('boards', { text: 'Theirs', size: 2 })).record.id;
const visitor = await running.signedIn('Me');

describe('a collection that everyone can read, in a browser', () => {
  const promise = /between you and this service/;
  const text = () => visitor.page.locator('main').innerText();
  const cards = () => visitor.page.locator('.record');

  it('is announced as public before the first record is made', async () => {
    await visitor.open('data');
    const board = visitor.page.locator('.card.collection', { hasText: 'Boards' });
    await board.getByText('Everybody who signs in can read what you make here').waitFor();
    await visitor.open('data', 'boards');
    await visitor.sees('You have nothing here yet');
    await visitor.sees(/Everybody who signs in can read/);
    assert.doesNotMatch(await text(), promise);
    await visitor.link('Make the first one').click();
    await visitor.heading('New in Boards').waitFor();
    assert.match(await visitor.page.title(), /^New in Boards/);
    await visitor.sees(/Everybody who signs in can read/);
    assert.doesNotMatch(await text(), promise);
  });

  it('a private collection promises privacy, except where machine clients see all records', async () => {
    await visitor.open('data', 'stones');
    await visitor.sees('Nothing here yet');
    assert.match(await text(), promise);
    assert.doesNotMatch(await text(), /[Ee]verybody/);
    await visitor.open('data', 'visits');
    await visitor.sees('Nothing here yet');
    assert.doesNotMatch(await text(), promise, 'where clients see everybody’s');
  });

  it('"Your data" lists the own records only', async () => {
    await visitor.elsewhere().make('boards', { text: 'Mine', size: 1 });
    await visitor.open('data', 'boards');
    await visitor.heading('Mine').waitFor();
    await visitor.link('Edit Mine').waitFor();
    assert.equal(await cards().count(), 1);
    assert.equal(await visitor.heading('Theirs').count(), 0);
  });

  it('"Your data" follows changes of the own records only', async () => {
    await visitor.seesConnection('Live');
    await stranger.make('boards', { text: 'Theirs, too', size: 3 });
    await visitor.elsewhere().make('boards', { text: 'Mine, too', size: 4 });
    await visitor.heading('Mine, too').waitFor();
    assert.equal(await cards().count(), 2);
  });

  it("the list of everybody's records is read-only", async () => {
    await visitor.link(/^See everybody’s/).click();
    await visitor.heading('Boards: everybody’s').waitFor();
    for (const name of ['Mine', 'Mine, too', 'Theirs', 'Theirs, too']) await visitor.heading(name).waitFor();
    assert.equal(await cards().count(), 4);
    assert.equal(await cards().getByRole('button').count(), 0);
    assert.equal(await cards().getByRole('link').count(), 0);
    assert.equal(await visitor.page.locator('nav [aria-current]').count(), 0, 'it is not "Your data"');
    assert.equal(await visitor.page.locator('.connection').count(), 0, 'nothing tells it of changes');
    await visitor.isAccessible();
  });

  it("the list of everybody's records can be filtered, sorted and reloaded", async () => {
    const [state, order] = [visitor.page.getByLabel('State'), visitor.page.getByLabel('Order')];
    await order.selectOption({ label: 'Size, ascending' });
    await cards().nth(3).getByText('Mine, too').waitFor();
    await state.selectOption({ label: 'Pinned' });
    assert.equal(await order.inputValue(), '-created_at');
    await cards().first().getByText('Mine, too').waitFor();
    await order.selectOption({ label: 'Size, descending' });
    assert.equal(await state.inputValue(), '');
    await cards().nth(3).getByText('Mine').waitFor();
    assert.equal(await visitor.page.getByRole('alert').count(), 0);
    await stranger.make('boards', { text: 'The newest', size: 9 });
    await visitor.button('Load again').click();
    await visitor.heading('The newest').waitFor();
  });

  it("the form of another person's record is refused", async () => {
    await visitor.open('data', 'boards', theirs);
    await visitor.page.getByRole('alert').getByText('It belongs to another person').waitFor();
    assert.equal(await visitor.page.locator('form').count(), 0);
    assert.equal(await visitor.button('Try again').count(), 0);
    await visitor.open('data', 'boards');
    await visitor.link('Edit Mine').click();
    await visitor.field('Text').fill('Mine, changed');
    await visitor.button('Save').click();
    await visitor.heading('Mine, changed').waitFor();
  });
});
