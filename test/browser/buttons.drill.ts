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

/** Runs in the page: the labels of whatever the announcement covers of what can be pressed or filled in. */
const coveredByToast = `(() => {
  const toast = document.querySelector('.toast').getBoundingClientRect();
  const controls = [...document.querySelectorAll('a, button, input, select')];
  const isCovered = ({ left, right, top, bottom }) =>
    left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
  return controls.filter((one) => isCovered(one.getBoundingClientRect())).map((one) => one.innerText);
})()`;

const running = await browsing();
const visitor = await running.signedIn('Pressing');

describe('buttons and notices', () => {
  const stateOf = (name: string) => visitor.page.locator('.record', { hasText: name }).locator('.state');
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
  const lending = (thing: string) => ({ thing, from: '2027-03-01T08:30:00Z', count: 1 });

  it('the first button of a record is its only main button, and is not a final action', async () => {
    await visitor.open('data', 'boards');
    await visitor.sees('Nothing here yet');
    await visitor.elsewhere().make('boards', { text: 'A poster', size: 1 });
    await visitor.heading('A poster').waitFor();
    const buttons = visitor.page.locator('.record .buttons > *');
    assert.deepEqual((await buttons.allInnerTexts()).map(inOneLine), [
      'Mark A poster',
      'Take down… A poster',
      'Edit A poster',
    ]);
    const main = await visitor.page.locator('.record .primary').allInnerTexts();
    assert.deepEqual(main.map(inOneLine), ['Mark A poster']);
  });

  it('Delete stands apart from a final action, and its dialog explains the difference', async () => {
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      const [end, remove] = [visitor.button('Take down A poster'), visitor.button('Delete A poster')];
      const [above, below] = [await end.boundingBox(), await remove.boundingBox()];
      assert.ok(above !== null && below !== null);
      assert.ok(below.y >= above.y + above.height, `not beside each other at ${width}`);
      assert.ok(below.x >= above.x + above.width, `not below each other at ${width}`);
    }
    await visitor.button('Delete A poster').click();
    const dialog = visitor.dialog;
    await dialog.getByText('“Take down” would keep it').waitFor();
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    assert.equal((await visitor.elsewhere().all('boards')).length, 1);
  });

  it('a final action asks for confirmation; cancelling changes nothing', async () => {
    const opener = visitor.button('Take down A poster');
    await opener.click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Take down?' });
    await dialog.getByText('no action leads back from there').waitFor();
    await visitor.hasFocus(dialog.getByRole('button', { name: 'Leave it as it is' }));
    await visitor.isAccessible();
    await visitor.button('Leave it as it is').click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.hasFocus(opener);
    assert.equal(await stateOf('A poster').innerText(), 'Pinned');
    assert.equal((await visitor.elsewhere().all('boards'))[0]?.state, 'pinned');
  });

  it('a confirmed final action is done and announced', async () => {
    await visitor.button('Take down A poster').click();
    await visitor.button('Yes, take down').click();
    await stateOf('A poster').getByText('Taken down').waitFor();
    await visitor.page.getByRole('status').getByText('It is taken down now.').waitFor();
    await visitor.hasFocus(visitor.heading('A poster'));
    assert.equal(await visitor.dialog.count(), 0);
    const times = await visitor.page
      .locator('.record', { hasText: 'A poster' })
      .locator('time')
      .allInnerTexts();
    assert.equal(new Set(times).size, times.length, 'the same minute is not shown twice');
  });

  it('an action that is not final is done without confirmation', async () => {
    await visitor.elsewhere().make('boards', { text: 'A map', size: 1 });
    await visitor.button('Mark A map').click();
    await stateOf('A map').getByText('Marked').waitFor();
    assert.equal(await visitor.dialog.count(), 0);
  });

  it('a final action that another caller has already taken is refused beside the record', async () => {
    const caller = visitor.elsewhere();
    const { record } = await caller.make('boards', { text: 'A list', size: 1 });
    const letThrough = await visitor.holdEvents('stones');
    await visitor.open('data', 'boards');
    await visitor.button('Take down A list').waitFor();
    await caller.send('POST', `/boards/${record.id}/take_down`);
    await visitor.button('Take down A list').click();
    await visitor.button('Yes, take down').click();
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
    const letThrough = await visitor.holdEvents('boards');
    await visitor.open('data', 'lendings');
    await visitor.button('Hand out A pan').click();
    await visitor.sees('It is lent now.');
    await caller.send('POST', `/lendings/${record.id}/withdraw`, undefined, { 'if-match': etag });
    await visitor.button('Hand out A lamp').click();
    await visitor.page.getByRole('alert').getByText('That is not possible any more').waitFor();
    assert.equal(await visitor.page.locator('.toast').count(), 0);
    await letThrough();
    running.caused('409 /api/consumer/v1/lendings/…/hand_out');
  });

  it('a notice on a phone covers no control, at any scroll position', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 600 });
    const caller = visitor.elsewhere();
    for (const text of ['One', 'Two', 'Three']) await caller.make('boards', { text, size: 1 });
    await visitor.open('data', 'boards');
    await visitor.heading('Three').waitFor();
    await visitor.seesConnection('Live');
    for (const scrolledTo of [0, 75, 150, 225]) {
      await visitor.page.evaluate(`scrollTo(0, ${scrolledTo})`);
      const text = `A long notice, number ${scrolledTo}, of sixty characters or so`;
      await caller.make('boards', { text, size: 1 });
      await visitor.page.locator('.toast', { hasText: text }).waitFor();
      assert.deepEqual(await visitor.page.evaluate(coveredByToast), [], `scrolled to ${scrolledTo}`);
    }
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('a long text is shortened and can be expanded without editing the record', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 800 });
    await visitor.elsewhere().make('lendings', { ...lending('A book'), remark: `${'word '.repeat(78)}last` });
    await visitor.open('data', 'lendings');
    const remark = visitor.page.locator('dd', { hasText: 'last' });
    const heightOf = async () => (await remark.boundingBox())?.height ?? 0;
    await visitor.button('Show all').waitFor();
    const cut = await heightOf();
    await visitor.button('Show all').click();
    await visitor.button('Show less').waitFor();
    assert.ok((await heightOf()) > cut);
    await visitor.button('Show less').click();
    await visitor.button('Show all').waitFor();
    assert.equal(await heightOf(), cut);
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('no button is stretched when usage cannot be loaded', async () => {
    const heights = async () => {
      const shown = await visitor.page.locator('.collection-foot .button').all();
      return Promise.all(shown.map(async (button) => Math.round((await button.boundingBox())?.height ?? 0)));
    };
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      await visitor.open('you');
      await visitor.open('data');
      await visitor.sees(/of 40/);
      const usual = await heights();
      assert.ok(usual.length > 4 && usual.every((height) => height === usual[0]), String(usual));
      await visitor.page.route('**/me/usage', (route) => route.abort('connectionrefused'));
      await visitor.open('you');
      await visitor.open('data');
      await visitor.sees('No answer from the service');
      assert.deepEqual(await heights(), usual, `at ${width}`);
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
