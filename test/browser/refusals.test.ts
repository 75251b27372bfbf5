import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { browsing } from './browser.ts';
import { minuteMs } from './browser-site.ts';

const lendings = '/api/consumer/v1/lendings';

const running = await browsing();
const visitor = await running.signedIn('Refused');

describe('refusals of the service, in a browser', () => {
  /** The text of a screen reader for a field, besides its label. */
  async function descriptionOf(field: Locator): Promise<string> {
    const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
    const texts = ids.map((id) => visitor.page.locator(`[id="${id}"]`).innerText());
    return (await Promise.all(texts)).join(' ');
  }

  it('422: invalid fields are marked, and the error summary leads to them', async () => {
    await visitor.open('data', 'lendings', 'new');
    await visitor.page.getByLabel('From').fill('2027-03-01T09:30');
    await visitor.field('Count').fill('17');
    await visitor.button('Add to Labels').click();
    await visitor.page.getByLabel('Labels 1').fill('x');
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText(/^3 /).waitFor();
    for (const [field, says] of [
      [visitor.field('Thing'), /Thing/],
      [visitor.field('Count'), /Count.*5/],
      [visitor.page.getByLabel('Labels 1'), /Labels 1/],
    ] as const) {
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.match(await descriptionOf(field), says);
    }
    assert.equal(await visitor.page.getByLabel('From').getAttribute('aria-invalid'), null);
    await visitor.button(/^Count/).click();
    assert.equal(await visitor.field('Count').and(visitor.page.locator(':focus')).count(), 1);
    running.caused(`422 ${lendings}`);
  });

  it('a text in a number field is reported before a request is sent', async () => {
    await visitor.field('Thing').fill('A drill');
    await visitor.page.getByLabel('Labels 1').fill('loud');
    await visitor.field('Count').fill('two');
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText(/^One /).waitFor();
    assert.match(await descriptionOf(visitor.field('Count')), /must be a number/);
    await visitor.field('Count').fill('2');
    await visitor.saveButton.click();
    await visitor.row('A drill').waitFor();
    running.caused();
  });

  describe('412', () => {
    /** A user has opened a record, typed, and pressed Save; meanwhile it was saved elsewhere. */
    async function clash(thing: string): Promise<string> {
      const caller = visitor.elsewhere();
      const fields = { thing, from: '2027-03-01T08:30:00Z', count: 1 };
      const { record, etag } = await caller.make('lendings', fields);
      await visitor.open('data', 'lendings', record.id);
      await visitor.field('Thing').fill(`${thing}, mine`);
      await visitor.field('Count').fill('2');
      const theirs = { ...fields, thing: `${thing}, theirs`, count: 3 };
      const reply = await caller.send('PUT', `/lendings/${record.id}`, theirs, { 'if-match': etag });
      assert.equal(reply.status, 200, reply.text);
      await visitor.saveButton.click();
      await visitor.page.getByRole('alert').getByText('It was changed in the meantime').waitFor();
      running.caused(`412 ${lendings}/…`);
      return record.id;
    }

    const choices = (label: string) => visitor.page.getByRole('group', { name: label });

    async function saved(id: string): Promise<unknown[]> {
      const { thing, count } = (await visitor.elsewhere().get(`/lendings/${id}`)).json();
      return [thing, count];
    }

    it('both versions are shown field by field; the own version is the default', async () => {
      const id = await clash('Rake');
      const thing = choices('Thing');
      await thing.getByRole('radio', { name: 'Yours Rake, mine' }).waitFor();
      await thing.getByRole('radio', { name: 'Saved in the meantime Rake, theirs' }).waitFor();
      assert.equal(await choices('Count').getByRole('radio').count(), 2);
      assert.equal(await visitor.page.getByRole('group').count(), 2, 'only what differs');
      assert.deepEqual(await saved(id), ['Rake, theirs', 3], 'nothing is overwritten unseen');
      await visitor.button('Save what I chose').click();
      await visitor.row('Rake, mine').waitFor();
      assert.deepEqual(await saved(id), ['Rake, mine', 2]);
    });

    it('each field is saved as chosen', async () => {
      const id = await clash('Spade');
      await choices('Thing')
        .getByRole('radio', { name: /^Saved in the meantime/ })
        .check();
      await visitor.button('Save what I chose').click();
      await visitor.row('Spade, theirs').waitFor();
      assert.deepEqual(await saved(id), ['Spade, theirs', 2]);
    });

    it('the form reopens with the choices, on top of the saved version', async () => {
      const id = await clash('Hoe');
      await choices('Count')
        .getByRole('radio', { name: /^Saved in the meantime/ })
        .check();
      await visitor.button('Edit it again').click();
      assert.equal(await visitor.field('Count').inputValue(), '3');
      await visitor.field('Thing').fill('Hoe, of both');
      await visitor.saveButton.click();
      await visitor.row('Hoe, of both').waitFor();
      assert.deepEqual(await saved(id), ['Hoe, of both', 3]);
    });

    it('"Discard mine" drops the own version and its draft', async () => {
      const id = await clash('Saw');
      await visitor.button('Discard mine').click();
      await visitor.row('Saw, theirs').waitFor();
      assert.deepEqual(await saved(id), ['Saw, theirs', 3]);
      await visitor.edit('Saw, theirs');
      assert.equal(await visitor.field('Thing').inputValue(), 'Saw, theirs', 'no draft is left');
    });
  });

  it('409: an action that lost a race shows the current record', async () => {
    const caller = visitor.elsewhere();
    const { record, etag } = await caller.make('lendings', {
      thing: 'A kettle',
      from: '2027-03-01T08:30:00Z',
      count: 1,
    });
    const letThrough = await visitor.holdEvents();
    await visitor.open('data', 'lendings');
    await visitor.button('Hand out A kettle').waitFor();
    await caller.send('POST', `/lendings/${record.id}/withdraw`, undefined, { 'if-match': etag });
    await visitor.button('Hand out A kettle').click();
    await visitor.page.getByRole('alert').getByText('That is not possible any more').waitFor();
    await visitor.button('Hand out A kettle').waitFor({ state: 'detached' });
    await letThrough();
    running.caused(`409 ${lendings}/…/hand_out`);
  });

  it('409: a full collection keeps the draft, which can be saved after a deletion', async () => {
    await visitor.addOne('stones', 'Colour', 'Slate');
    await visitor.row('Slate').waitFor();
    await visitor.addOne('stones', 'Colour', 'Amber');
    await visitor.row('Amber').waitFor();
    await visitor.sees('2 of 2');
    await visitor.addOne('stones', 'Colour', 'Coral');
    await visitor.page.getByRole('alert').getByText('409 quota_exceeded').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), 'Coral');
    running.caused('409 /api/consumer/v1/stones');

    await visitor.link('Back to Stones').click();
    await visitor.remove('Slate');
    await visitor.row('Slate').waitFor({ state: 'detached' });
    await visitor.newLink.click();
    await visitor.sees('What you typed is still here');
    await visitor.saveButton.click();
    await visitor.row('Coral').waitFor();
  });

  it('429: the form counts down, and can be saved afterwards', async () => {
    await visitor.site.nextMinute();
    await visitor.addOne('sparks', 'Idea', 'One');
    await visitor.row('One').waitFor();
    await visitor.addOne('sparks', 'Idea', 'Two');
    await visitor.row('Two').waitFor();
    await visitor.sees('2 of 2');
    await visitor.addOne('sparks', 'Idea', 'Three');
    const notice = visitor.page.getByRole('alert');
    await notice.getByText('Too many changes in a short time').waitFor();
    const countdown = notice.locator('.countdown [aria-hidden]');
    assert.match(await countdown.innerText(), / in (\d+ s|1 min)$/);
    assert.equal(await visitor.saveButton.isDisabled(), true);

    await visitor.later(0.5);
    await notice
      .getByText(/^Try again in (2|1)?\d s$/)
      .first()
      .waitFor();
    await visitor.site.pass(minuteMs);
    await visitor.later(0.5);
    await countdown.waitFor({ state: 'detached' });
    assert.equal(await visitor.field('Idea').inputValue(), 'Three');
    await visitor.saveButton.click();
    await visitor.row('Three').waitFor();
    running.caused('429 /api/consumer/v1/sparks');
  });
});
