import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { fits } from './page-checks.ts';

/** Runs in the page: what is seen where the announcement of a success and an error are at the same place. */
const whichIsOnTop = `(() => {
  const [toast, alert] = ['.toast', '[role=alert]'].map((one) => document.querySelector(one));
  const [over, under] = [toast, alert].map((one) => one.getBoundingClientRect());
  if (over.top >= under.bottom || over.bottom <= under.top) return 'they do not meet';
  toast.style.pointerEvents = 'auto'; // Otherwise it would not be found at any point.
  const middle = (Math.max(over.top, under.top) + Math.min(over.bottom, under.bottom)) / 2;
  const [seen] = document.elementsFromPoint((over.left + over.right) / 2, middle);
  return toast.contains(seen) ? 'the error is covered' : alert.contains(seen) ? 'the error is on top' : 'neither';
})()`;

/** Runs in the page: rows fill a phone, so a notice lies over some; a press goes through it to what is below. */
const isPressedThrough = `(() => {
  const toast = document.querySelector('.toast');
  const { left, right, top, bottom } = toast.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return seen !== null && !toast.contains(seen);
})()`;

const running = await browsing();
const visitor = await running.visitor();
await visitor.asDeveloper();
await visitor.signIn('Pressing');
await visitor.seesFirstPage('Pressing');

describe('buttons and notices', () => {
  const stateOf = (name: string) => visitor.row(name).locator('.state');
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const lending = (thing: string) => ({ thing, from: '2027-03-01T08:30:00Z', count: 1 });

  it('a row has one action, which is not final; the record has all, and one main button', async () => {
    await visitor.open('data', 'boards');
    await visitor.sees('No boards yet.');
    await visitor.elsewhere().make('boards', { text: 'A poster', size: 1 });
    await visitor.page.reload();
    await visitor.title('A poster').waitFor();
    const inRow = visitor.row('A poster').locator('button:not([aria-haspopup])');
    assert.deepEqual((await inRow.allInnerTexts()).map(inOneLine), ['Mark A poster']);
    await visitor.title('A poster').click();
    await visitor.heading('A poster').waitFor();
    const buttons = visitor.page.locator('.record-head .buttons > :is(a, button)');
    assert.deepEqual((await buttons.allInnerTexts()).map(inOneLine), ['Mark', 'Take down…', 'Edit']);
    const main = await visitor.page.locator('.record .primary').allInnerTexts();
    assert.deepEqual(main.map(inOneLine), ['Mark']);
    const times = await visitor.page.locator('.details time').allInnerTexts();
    assert.equal(new Set(times).size, times.length, 'the same minute is not shown twice');
  });

  it('Delete stands apart from a final action, and its dialog explains the difference', async () => {
    const item = (name: string | RegExp) => visitor.page.getByRole('menuitem', { name });
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      await visitor.open('data', 'boards');
      await visitor.button('More for A poster').click();
      const [above, below] = [await item('Take down').boundingBox(), await item(/^Delete/).boundingBox()];
      assert.ok(above !== null && below !== null);
      assert.ok(below.y >= above.y + 2 * above.height, `not beside each other at ${width}`);
      await visitor.page.keyboard.press('Escape');
    }
    await visitor.choose('A poster', /^Delete/);
    const dialog = visitor.dialog;
    await dialog.getByText('“Take down” would keep it').waitFor();
    await visitor.page.keyboard.press('Escape');
    assert.equal((await visitor.elsewhere().all('boards', '&mine=true')).length, 1);
  });

  it('a final action asks for confirmation; cancelling changes nothing', async () => {
    await visitor.choose('A poster', 'Take down');
    const dialog = visitor.page.getByRole('dialog', { name: 'Take down?' });
    await dialog.getByText('no action leads back from there').waitFor();
    const safe = dialog.getByRole('button').first();
    await visitor.hasFocus(safe);
    await visitor.isAccessible();
    await safe.click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.hasFocus(visitor.button('More for A poster'));
    assert.equal(await stateOf('A poster').innerText(), 'Pinned');
    assert.equal((await visitor.elsewhere().all('boards', '&mine=true'))[0]?.state, 'pinned');
  });

  it('a confirmed final action is done and announced', async () => {
    await visitor.choose('A poster', 'Take down');
    await visitor.dialog.locator('.danger').click();
    await stateOf('A poster').getByText('Taken down').waitFor();
    await visitor.page.getByRole('status').getByText('Marked as taken down: A poster.').waitFor();
    await visitor.hasFocus(visitor.button('More for A poster'));
    assert.equal(await visitor.dialog.count(), 0);
  });

  it('an action that is not final is done without confirmation', async () => {
    await visitor.elsewhere().make('boards', { text: 'A map', size: 1 });
    await visitor.page.reload();
    await visitor.button('Mark A map').click();
    await stateOf('A map').getByText('Marked').waitFor();
    assert.equal(await visitor.dialog.count(), 0);
  });

  it('a final action that another caller has already taken is refused beside the record', async () => {
    const caller = visitor.elsewhere();
    const { record } = await caller.make('boards', { text: 'A list', size: 1 });
    const letThrough = await visitor.holdEvents('stones');
    await visitor.open('data', 'boards');
    await visitor.title('A list').waitFor();
    await caller.send('POST', `/boards/${record.id}/take_down`);
    await visitor.choose('A list', 'Take down');
    await visitor.dialog.locator('.danger').click();
    await visitor.page.getByRole('alert').getByText('That is not possible any more').waitFor();
    assert.equal(await visitor.dialog.count(), 0);
    await letThrough();
    running.caused('409 /api/consumer/v1/boards/…/take_down');
  });

  it('a success notice never covers an error', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 500 });
    const caller = visitor.elsewhere();
    const { record, etag } = await caller.make('lendings', lending('A kettle'));
    const letThrough = await visitor.holdEvents();
    await visitor.open('data', 'lendings');
    await visitor.button('Hand out A kettle').waitFor();
    await caller.send('POST', `/lendings/${record.id}/withdraw`, undefined, { 'if-match': etag });
    await visitor.button('Hand out A kettle').click();
    const alert = visitor.page.getByRole('alert');
    await alert.getByText('That is not possible any more').waitFor();
    await letThrough();
    await visitor.seesConnection('Live');
    // The error stands at the bottom, where a success is announced.
    await alert.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await caller.make('lendings', lending('A pan'));
    await visitor.page.locator('.toast').waitFor();
    await alert.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    assert.notEqual(await visitor.page.evaluate(whichIsOnTop), 'the error is covered');
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
    running.caused('409 /api/consumer/v1/lendings/…/hand_out');
  });

  it('a failure removes the notice of an earlier success', async () => {
    const caller = visitor.elsewhere();
    const { record, etag } = await caller.make('lendings', lending('A lamp'));
    const letThrough = await visitor.holdEvents('stones');
    await visitor.open('data', 'lendings');
    await visitor.button('Hand out A pan').click();
    await visitor.sees('Marked as lent: A pan.');
    await caller.send('POST', `/lendings/${record.id}/withdraw`, undefined, { 'if-match': etag });
    await visitor.button('Hand out A lamp').click();
    await visitor.page.getByRole('alert').getByText('That is not possible any more').waitFor();
    assert.equal(await visitor.page.locator('.toast').count(), 0);
    await letThrough();
    running.caused('409 /api/consumer/v1/lendings/…/hand_out');
  });

  it('a notice on a phone keeps no control from being pressed, at any scroll position', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 600 });
    const caller = visitor.elsewhere();
    for (const number of [1, 2, 3, 4, 5, 6]) await caller.make('lendings', lending(`Chair ${number}`));
    await visitor.open('data', 'lendings');
    await visitor.title('Chair 6').waitFor();
    await visitor.seesConnection('Live');
    for (const scrolledTo of [0, 75, 150, 225]) {
      await visitor.page.evaluate(`scrollTo(0, ${scrolledTo})`);
      const thing = `A long notice, number ${scrolledTo}, of sixty characters or so`;
      await caller.make('lendings', lending(thing));
      await visitor.page.locator('.toast', { hasText: thing }).waitFor();
      assert.equal(await visitor.page.evaluate(isPressedThrough), true, `scrolled to ${scrolledTo}`);
    }
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('the account says that the limits cannot be loaded, and fits', async () => {
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      await visitor.open('data', 'stones');
      await visitor.open('you');
      await visitor.sees(/of 40/);
      await visitor.page.route('**/me/usage', (route) => route.abort('connectionrefused'));
      await visitor.open('data', 'stones');
      await visitor.open('you');
      await visitor.sees('No answer from the service');
      await fits(visitor.page, width);
      await visitor.page.unroute('**/me/usage');
      running.log.takeErrors();
    }
  });

  describe('the access token', () => {
    const clipboard = () => visitor.page.evaluate<string>('navigator.clipboard.readText()');

    it('is copied unchanged, and is not in the page', async () => {
      await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await visitor.open('token');
      await visitor.sees('Accepted');
      await visitor.button('Copy it').click();
      await visitor.sees('The token is copied.');
      assert.equal(await clipboard(), visitor.elsewhere().token);
      assert.ok(!(await visitor.page.content()).includes(visitor.elsewhere().token));
    });

    it('the page reports a failed copy', async () => {
      await visitor.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })",
      );
      await visitor.button('Copy it').click();
      await visitor.page.getByRole('alert').getByText('The token was not copied').waitFor();
      assert.equal(await visitor.page.locator('.toast').count(), 0);
    });

    it('a failed renewal is shown as an error, without a success notice', async () => {
      await visitor.page.route(`${visitor.site.providerOrigin}/**`, (route) =>
        route.abort('connectionrefused'),
      );
      await visitor.button('Renew it now').click();
      await visitor.page.getByRole('alert').getByText('The provider does not answer').waitFor();
      assert.equal(await visitor.page.locator('.toast').count(), 0);
      await visitor.page.unroute(`${visitor.site.providerOrigin}/**`);
      running.log.takeErrors();
    });
  });
});
