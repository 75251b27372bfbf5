import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { Keyboard } from './browser-keyboard.ts';

const running = await browsing();
const first = await running.signedIn('Twofold');
const second = await first.anotherWindow();
const machine = await running.site.machine();

describe('two windows of one person', () => {
  it('a new record appears in the other window, with a notice', async () => {
    await first.watch('stones');
    await second.addOne('stones', 'Colour', 'Slate');
    await first.row('Slate').waitFor();
    await first.hears(/\bnew\b.*Slate|Slate.*\bnew\b/i);
  });

  it('changes and deletions appear in the other window, and are announced only there', async () => {
    await second.watch('stones');
    await first.edit('Slate');
    await first.field('Colour').fill('Amber');
    await first.saveButton.click();
    await second.row('Amber').waitFor();
    await second.hears(/changed.*Amber|Amber.*changed/i);
    await first.watch('stones');
    const said = await first.recordNotices();
    await first.remove('Amber');
    await second.row('Amber').waitFor({ state: 'detached' });
    await second.hears(/deleted.*Amber|Amber.*deleted/i);
    await second.sees('No stones yet.');
    await second.elsewhere().make('stones', { colour: 'Coral' });
    await first.hears(/Coral/);
    const [deleted, created, ...others] = (await said()) as string[];
    assert.match(String(deleted), /^Deleted/);
    assert.match(String(created), /Coral/);
    assert.deepEqual(others, [], 'the window hears nothing of its own deletion');
  });

  it('an action by a machine client appears in both windows, with a notice', async () => {
    const { record } = await first.elsewhere().make('visits', { guest: 'Ada' });
    for (const window of [first, second]) await window.watch('visits');
    await first.row('Ada').waitFor();
    const reply = await machine.send('POST', `/visits/${record.id}/approve`);
    assert.equal(reply.status, 200, reply.text);
    for (const window of [first, second]) {
      await window.row('Ada').getByText('Approved').waitFor();
      await window.hears(/approved.*Ada|Ada.*approved/i);
    }
    await first.button('Call off Ada').waitFor({ state: 'detached' });
    await first.isAccessible();
  });

  it('several changes at once are announced in one notice', async () => {
    const caller = first.elsewhere();
    const letThrough = await first.hold('**/api/consumer/v1/visits?*');
    await Promise.all(['Ben', 'Cas', 'Dot', 'Eve'].map((guest) => caller.make('visits', { guest })));
    await letThrough();
    for (const guest of ['Ben', 'Cas', 'Dot', 'Eve']) await first.row(guest).waitFor();
    await first.hears(/4 changes/);
  });

  it('a new record follows the chosen order and state filter', async () => {
    await first.button('Asked for').click();
    await first.row('Ada').waitFor({ state: 'detached' });
    await first.page.getByLabel('Order').selectOption('created_at');
    await first.seesConnection('Live');
    const { record } = await first.elsewhere().make('visits', { guest: 'Fay' });
    await first.row('Fay').waitFor();
    assert.equal(await first.titles.last().innerText(), 'Fay');
    await machine.send('POST', `/visits/${record.id}/approve`);
    await first.row('Fay').waitFor({ state: 'detached' });
    assert.equal(await first.titles.count(), 4);
  });

  it('the focus moves to the record when its focused button disappears', async () => {
    const keyboard = new Keyboard(first.page);
    const name = await first.titles.first().innerText();
    await first.button('All').click();
    await first.row('Ada').waitFor();
    await first.seesConnection('Live');
    await keyboard.goTo(first.title('Ada'));
    await keyboard.press('ArrowDown');
    await first.hasFocus(first.title(name));
    await keyboard.goTo(first.button(`Call off ${name}`));
    const found = (await first.elsewhere().all('visits')).find(({ guest }) => guest === name);
    await machine.send('POST', `/visits/${found?.id}/approve`);
    await first.hasFocus(first.title(name));
  });

  it('a form is not overwritten by a change elsewhere, which can be loaded', async () => {
    const caller = first.elsewhere();
    const fields = { thing: 'A rope', from: '2027-03-01T08:30:00Z', count: 1 };
    const { record, etag } = await caller.make('lendings', fields);
    await first.open('data', 'lendings', record.id);
    await first.field('Thing').fill('A rope, mine');
    const theirs = { ...fields, thing: 'A rope, theirs' };
    const reply = await caller.send('PUT', `/lendings/${record.id}`, theirs, { 'if-match': etag });
    assert.equal(reply.status, 200, reply.text);
    await first.page
      .getByRole('status')
      .getByText('This lending was changed elsewhere', { exact: true })
      .waitFor();
    assert.equal(await first.field('Thing').inputValue(), 'A rope, mine');
    await first.isAccessible();
    await first.button('Load the other version').click();
    await first.hasFocus(first.heading('Edit lending'));
    assert.equal(await first.field('Thing').inputValue(), 'A rope, theirs');
    assert.equal(await first.page.getByText('What you typed is kept').count(), 0);
    await first.field('Thing').fill('A rope, of both');
    await first.saveButton.click();
    await first.row('A rope, of both').waitFor();
  });

  it('a form reports that its record was deleted elsewhere', async () => {
    const [record] = await first.elsewhere().all('lendings');
    let reads = 0;
    const rereads = first.page.waitForResponse((reply) => {
      reads += Number(reply.url().endsWith(`/lendings/${record?.id}`));
      return reads === 2;
    });
    await first.edit('A rope, of both');
    // The page reads the record again when the stream starts; afterwards an event is enough.
    await rereads;
    await first.field('Thing').fill('A rope, once more');
    await first.elsewhere().send('DELETE', `/lendings/${record?.id}`, undefined, { 'if-match': '*' });
    await first.sees('This lending was deleted');
    assert.equal(await first.field('Thing').inputValue(), 'A rope, once more');
    running.caused('404 /api/consumer/v1/lendings/…');
  });

  it('after erasure in one window the other sends no more requests', async () => {
    // The tabs share a stream; from here on the second tab holds it.
    await first.open('you');
    await second.watch('visits');
    await first.button('Erase everything…').click();
    await first.dialog.getByRole('textbox').fill('erase everything');
    let requests = 0;
    await second.page.route('**/api/consumer/**', async (route) => {
      requests += 1;
      await route.continue();
    });
    await first.dialog.getByRole('button', { name: 'Erase everything' }).click();
    await first.heading('Your data is erased').waitFor();
    await second.seesConnection('Everything was erased elsewhere');
    assert.equal(requests, 0);
  });
});
