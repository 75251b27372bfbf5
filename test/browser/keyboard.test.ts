import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { Keyboard } from './browser-keyboard.ts';
import { password, personNamed } from './browser-person.ts';

const running = await browsing();
const visitor = await running.visitor();
const keyboard = new Keyboard(visitor.page);

/** The steps of trip.test.ts without a mouse: Tab to move, Enter, Space, Escape and arrow keys to act. */
describe('a user with a keyboard only', () => {
  const person = personNamed('Typing');

  it('signs in', async () => {
    await keyboard.pressOn(visitor.button('Sign in'));
    await keyboard.typeInto(visitor.page.getByLabel('User name'), person.userName);
    await keyboard.typeInto(visitor.page.getByLabel('Password'), password);
    await keyboard.press('Enter');
    await visitor.heading('Boards').waitFor();
  });

  it('skips to the content', async () => {
    await keyboard.pressOn(visitor.button('Skip to the content'));
    assert.ok(await keyboard.isOn(visitor.heading('Boards')));
  });

  it('goes to a collection; the focus is on the title of each screen', async () => {
    await keyboard.pressOn(visitor.link('Stones'));
    await visitor.hasFocus(visitor.heading('Stones'));
    await keyboard.pressOn(visitor.link('Lendings'));
    await visitor.hasFocus(visitor.heading('Lendings'));
  });

  it('creates a record; the error summary leads to the first invalid field', async () => {
    await keyboard.pressOn(visitor.newLink);
    await keyboard.typeInto(visitor.field('Thing'), 'A tent');
    await keyboard.goTo(visitor.page.getByLabel('From'));
    // The first of January, whether the browser puts the month first or the day, with twelve hours or with more.
    await visitor.page.keyboard.type('01012027');
    await keyboard.press('Tab');
    await visitor.page.keyboard.type('0930AM');
    await keyboard.typeInto(visitor.field('Count'), '9');
    await keyboard.pressOn(visitor.page.getByLabel('Fragile'), 'Space');
    await keyboard.goTo(visitor.page.getByLabel('Condition'));
    await visitor.page.keyboard.type('worn');
    await keyboard.pressOn(visitor.button('Add to Labels'));
    await visitor.hasFocus(visitor.page.getByLabel('Labels 1'));
    await keyboard.type('wide');
    await keyboard.press('Enter');
    await keyboard.pressOn(visitor.button(/^Count/));
    assert.ok(await keyboard.isOn(visitor.field('Count')));
    await keyboard.type('3');
    await keyboard.pressOn(visitor.saveButton, 'Space');
    await visitor.row('A tent').waitFor();
    const [record] = await visitor.elsewhere().all('lendings');
    const { thing, from, count, fragile, condition, labels } = record ?? assert.fail();
    assert.deepEqual([thing, from, count], ['A tent', '2027-01-01T08:30:00.000Z', 3]);
    assert.deepEqual([fragile, condition, labels], [true, 'worn', ['wide']]);
    running.caused('422 /api/consumer/v1/lendings');
  });

  it('edits the record', async () => {
    await keyboard.pressOn(visitor.button('More for A tent'));
    await visitor.hasFocus(visitor.page.getByRole('menuitem', { name: 'Open' }));
    await keyboard.press('ArrowDown');
    await visitor.hasFocus(visitor.page.getByRole('menuitem', { name: 'Edit' }));
    await keyboard.press('Enter');
    await keyboard.typeInto(visitor.field('Thing'), 'A big tent');
    await keyboard.press('Enter');
    await visitor.row('A big tent').waitFor();
  });

  it('changes the order of the list', async () => {
    await keyboard.goTo(visitor.page.getByLabel('Order'));
    await keyboard.press('ArrowDown');
    await visitor.row('A big tent').waitFor();
    assert.equal(await visitor.page.getByLabel('Order').inputValue(), 'created_at');
  });

  it('takes an action, and the focus stays in its place', async () => {
    await keyboard.pressOn(visitor.button('Hand out A big tent'));
    await visitor.hasFocus(visitor.button('Bring back A big tent'));
  });

  it('is asked before a record is deleted; Escape cancels', async () => {
    const opener = visitor.title('A big tent');
    await keyboard.goTo(visitor.button('More for A big tent'));
    await keyboard.press('ArrowUp');
    await visitor.hasFocus(opener);
    await keyboard.press('Delete');
    await visitor.hasFocus(visitor.button('Keep it'));
    await keyboard.press('Escape');
    await visitor.page.locator('dialog').waitFor({ state: 'detached' });
    assert.ok(await keyboard.isOn(opener), 'the focus is where it was');
  });

  it('exports the data', async () => {
    await keyboard.pressOn(visitor.me);
    await keyboard.goTo(visitor.button('Export as a file'));
    await Promise.all([visitor.page.waitForEvent('download'), keyboard.press('Enter')]);
  });

  it('cannot tab out of the erasure dialog; Escape cancels', async () => {
    const opener = visitor.button('Erase everything…');
    await keyboard.pressOn(opener);
    const dialog = visitor.dialog;
    await dialog.waitFor();
    for (let stop = 0; stop < 8; stop += 1) {
      await keyboard.press('Tab');
      const outside = visitor.page
        .locator('main :focus, header :focus')
        .and(visitor.page.locator(':not(dialog *)'));
      assert.equal(await outside.count(), 0);
    }
    await keyboard.press('Escape');
    // Not by its role: a closed dialog has none, and the page takes it away a moment later.
    await visitor.page.locator('dialog').waitFor({ state: 'detached' });
    assert.ok(await keyboard.isOn(opener));
  });

  it('erases all data', async () => {
    await keyboard.press('Enter');
    const dialog = visitor.dialog;
    await keyboard.typeInto(dialog.getByRole('textbox'), 'erase everything');
    await keyboard.pressOn(dialog.getByRole('button', { name: 'Erase everything' }));
    await visitor.hasFocus(visitor.heading('Your data is erased'));
  });

  it('signs out', async () => {
    await keyboard.pressOn(visitor.page.getByRole('main').getByRole('button', { name: 'Sign out' }));
    await visitor.heading('Sign out?').waitFor();
    await keyboard.pressOn(visitor.button('Sign out'));
    await visitor.sees('You are signed out');
  });
});
