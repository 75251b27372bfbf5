import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';

const tasks = `
title: Tasks
schema:
  required: [title, due, size, effort]
  properties:
    title: { type: string, minLength: 1, maxLength: 60 }
    due: { type: string, format: date-time }
    size: { enum: [small, large] }
    effort: { type: integer, minimum: 1, maximum: 99 }
    reason: { type: string, minLength: 1, maxLength: 60 }
    urgent: { type: boolean }
index: [due, effort]
states:
  open: { plan: { to: planned, by: owner } }
  planned: { finish: { to: done, by: owner }, drop: { to: dropped, by: owner, sets: [reason] } }
  done: { reopen: { to: open, by: owner } }
  dropped: {}
access: { update: owner }
limits: { per_user: 200, writes: 1000/min }
`;
const notes = `
title: Notes
schema: { required: [text], properties: { text: { type: string, maxLength: 60 } } }
limits: { per_user: 200, writes: 1000/min }
`;

const dayMs = 86_400_000;
const running = await browsing({ COLLECTIONS_DIR: declarationsFolder({ tasks, notes }) });
const ada = await running.signedIn('Ada');
const { page } = ada;

/** Due so many days from now, at noon. */
function task(title: string, days: number, effort: number): Record<string, unknown> {
  const due = new Date(Date.now() + days * dayMs);
  due.setHours(12, 0, 0, 0);
  return { title, due: due.toISOString(), size: 'small', effort };
}

for (const [title, days, effort] of [
  ['Paint', 3, 5],
  ['Sweep', 3, 1],
  ['Mow', 9, 3],
  ['Fix', -5, 2],
] as const)
  await ada.elsewhere().make('tasks', task(title, days, effort));

const stateOf = async (title: string) =>
  (await ada.elsewhere().all('tasks')).find((one) => one.title === title)?.state;

describe('a list of tasks', () => {
  it('one click ticks a record, and the page says so', async () => {
    await ada.watch('tasks');
    const box = page.getByRole('checkbox', { name: 'Urgent: Mow' });
    await box.click();
    await ada.hears('Done: Mow.');
    assert.equal(await box.isChecked(), true);
    await ada.hasFocus(box);
    const found = (await ada.elsewhere().all('tasks')).find(({ title }) => title === 'Mow');
    assert.equal(found?.urgent, true);
    await box.click();
    await ada.hears('Not done: Mow.');
  });

  it('one click takes the first action, and the focus stays', async () => {
    await ada.button('Plan Mow').click();
    await ada.row('Mow').getByText('Planned', { exact: true }).waitFor();
    await ada.hears('Marked as planned: Mow.');
    await ada.hasFocus(ada.button('Finish Mow'));
    assert.equal(await stateOf('Mow'), 'planned');
  });

  it('is sorted by the head of a column, in both directions', async () => {
    const head = page.getByRole('button', { name: /^Effort/ });
    const first = () => ada.titles.first().innerText();
    await head.click();
    await until(first, 'Sweep', 'it is not sorted upwards');
    assert.equal(await head.getAttribute('aria-pressed'), 'true');
    await head.click();
    await until(first, 'Paint', 'it is not sorted downwards');
    assert.equal(await page.getByRole('button', { name: 'Size' }).count(), 0, 'it has no index');
  });

  it('has keys: arrows, Home, End, Space, A, and the menu', async () => {
    const { keyboard } = page;
    const names = await ada.titles.allInnerTexts();
    const [first = '', second = '', last = ''] = [names[0], names[1], names.at(-1)];
    await ada.title(first).focus();
    for (const [key, name] of [
      ['ArrowDown', second],
      ['ArrowUp', first],
      ['End', last],
      ['Home', first],
    ] as const) {
      await keyboard.press(key);
      await ada.hasFocus(ada.title(name));
    }
    await keyboard.press('Space');
    await ada.hears('Done: Paint.');
    await ada.hasFocus(ada.title('Paint'));
    await keyboard.press('a');
    await ada.hears('Marked as planned: Paint.');
    await keyboard.press('.');
    const item = (name: string | RegExp) => page.getByRole('menuitem', { name });
    await ada.hasFocus(item('Open'));
    await ada.isAccessible();
    await keyboard.press('End');
    await ada.hasFocus(item(/^Delete/));
    await keyboard.press('ArrowDown');
    await ada.hasFocus(item('Open'));
    await keyboard.press('Escape');
    await ada.hasFocus(ada.button('More for Paint'));
  });

  it('the view stands in the address and is kept', async () => {
    const board = ada.button('Board');
    await board.click();
    await page.locator('.board').waitFor();
    assert.equal(new URL(page.url()).hash, '#/data/tasks?view=board');
    await ada.open('data', 'notes');
    await ada.heading('Notes').waitFor();
    await ada.link('Tasks').click();
    await page.locator('.board').waitFor();
    assert.equal(await board.getAttribute('aria-pressed'), 'true');
    await page.goto(`${ada.site.origin}/#/data/tasks?view=agenda`);
    await page.locator('.agenda').waitFor();
  });

  it('an agenda groups records by day, and folds what is over', async () => {
    const days = page.locator('.agenda section');
    await until(() => days.count(), 2, 'there is not a group for each day');
    assert.deepEqual((await days.first().locator('.row-title').allInnerTexts()).sort(), ['Paint', 'Sweep']);
    assert.equal(await ada.row('Fix').count(), 0);
    const fold = page.locator('p.over button');
    await fold.click();
    await ada.row('Fix').waitFor();
    await ada.isAccessible();
    assert.equal(await fold.getAttribute('aria-expanded'), 'true');
    await fold.click();
    await ada.row('Fix').waitFor({ state: 'detached' });
  });
});

describe('the board of tasks', () => {
  const lane = (state: string) => page.getByRole('region', { name: state, exact: true });
  const card = (name: string, state: string) => lane(state).getByRole('link', { name, exact: true });
  const { keyboard, mouse } = page;

  const carry = async (name: string, from: string, to: string) => {
    const [start, end] = [await card(name, from).boundingBox(), await lane(to).boundingBox()];
    assert.ok(start && end);
    await mouse.move(start.x + 5, start.y + 5);
    await mouse.down();
    await mouse.move(start.x + 25, start.y + 15, { steps: 3 });
    await mouse.move(end.x + end.width / 2, end.y + 60, { steps: 8 });
  };

  it('a card moves with the mouse; a column takes it only if an action leads there', async () => {
    await page.goto(`${ada.site.origin}/#/data/tasks?view=board`);
    await card('Sweep', 'Open').waitFor();
    await carry('Sweep', 'Open', 'Done');
    await mouse.up();
    await ada.hears('Put back in Open.');
    await carry('Sweep', 'Open', 'Planned');
    await lane('Planned').getByText('Plan', { exact: true }).waitFor();
    await mouse.up();
    await card('Sweep', 'Planned').waitFor();
    await ada.hears(/planned: Sweep/i);
    assert.equal(await stateOf('Sweep'), 'planned');
    assert.equal(new URL(page.url()).hash, '#/data/tasks?view=board', 'no click has opened it');
    await ada.isAccessible();
  });

  it('a card moves by keyboard, and each step is said', async () => {
    await card('Fix', 'Open').focus();
    await keyboard.press('Space');
    await ada.hears(/^Picked up: Fix\. In Open\./);
    await keyboard.press('ArrowRight');
    await ada.hears('Over Planned, 3 cards. Space: Plan.');
    await keyboard.press('Escape');
    await ada.hears('Put back in Open.');
    await ada.hasFocus(card('Fix', 'Open'));
    await keyboard.press('Space');
    await keyboard.press('ArrowRight');
    await keyboard.press('Space');
    await ada.hears(/planned: Fix/i);
    await ada.hasFocus(card('Fix', 'Planned'));
    assert.equal(await stateOf('Fix'), 'planned');
    await keyboard.press('ArrowLeft');
    await ada.hasFocus(card('Fix', 'Planned'));
  });

  it('a move that needs input opens its form; closing it puts the card back', async () => {
    const move = async () => {
      await card('Fix', 'Planned').focus();
      for (const key of ['Space', 'ArrowRight', 'ArrowRight', 'Space']) await keyboard.press(key);
      await ada.hasFocus(ada.dialog.getByLabel('Reason'));
    };
    await move();
    await keyboard.press('Escape');
    await ada.hasFocus(card('Fix', 'Planned'));
    await move();
    await ada.dialog.getByLabel('Reason').fill('It works');
    await keyboard.press('Enter');
    await ada.hasFocus(card('Fix', 'Dropped'));
    assert.equal(await stateOf('Fix'), 'dropped');
  });

  it('a move that is refused puts the card back and says why', async () => {
    const { record } = await ada.elsewhere().make('tasks', task('Late', 4, 1));
    await card('Late', 'Open').waitFor();
    const letThrough = await ada.holdEvents('notes');
    await page.goto(`${ada.site.origin}/#/data/tasks?view=board`);
    await card('Late', 'Open').waitFor();
    await ada.elsewhere().send('DELETE', `/tasks/${record.id}`);
    await card('Late', 'Open').focus();
    for (const key of ['Space', 'ArrowRight', 'Space']) await keyboard.press(key);
    await lane('Open')
      .getByRole('alert')
      .getByText(/Back in Open.*not there any more/)
      .waitFor();
    await ada.hasFocus(card('Late', 'Open'));
    await letThrough();
    running.caused('404 /api/consumer/v1/tasks/…/plan');
  });
});

describe('a long list', () => {
  /** Those of which a person sees all. */
  const inView = () =>
    page.locator('li[data-at]').evaluateAll(
      (rows) =>
        rows.filter((row) => {
          const { left, right, top, bottom } = row.getBoundingClientRect();
          const at = (y: number) => row.ownerDocument.elementFromPoint((left + right) / 2, y);
          return row.contains(at(top + 2)) && row.contains(at(bottom - 2));
        }).length,
    );

  it('shows 17 records on a desk and 10 on a phone', async () => {
    const texts = Array.from({ length: 60 }, (_, number) => `Note ${number}`);
    for (const text of texts) await ada.elsewhere().make('notes', { text });
    for (const [width, height, least] of [
      [1280, 900, 17],
      [390, 844, 10],
    ] as const) {
      await page.setViewportSize({ width, height });
      await ada.open('data', 'notes');
      await ada.row('Note 59').waitFor();
      const shown = await inView();
      assert.ok(shown >= least, `${shown} at ${width} x ${height}`);
      await ada.isAccessible();
    }
  });

  it('loads more when its end comes into view', async () => {
    await page.reload();
    await ada.row('Note 59').waitFor();
    await ada.titles.last().scrollIntoViewIfNeeded();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await ada.row('Note 0').waitFor();
  });
});
