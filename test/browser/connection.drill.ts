import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { browsing } from './browser.ts';
import { minuteMs, tokenSeconds } from './browser-site.ts';
import type { Visitor } from './browser-visitor.ts';

const events = '**/api/consumer/v1/events*';
const stones = '/api/consumer/v1/stones';

const running = await browsing();
const { site } = running;

describe('the live connection of a list', () => {
  async function signedIn(word: string): Promise<Visitor> {
    const visitor = await running.visitor();
    // From here on the test moves the clock.
    await visitor.later(0);
    await visitor.signIn(word);
    await visitor.seesFirstPage(word);
    return visitor;
  }

  const isStream = (route: Route) => route.request().headers().accept === 'text/event-stream';

  it('the page polls every 15 seconds while no stream can be opened', async () => {
    await using visitor = await signedIn('Blocked');
    await visitor.page.route(events, (route) => (isStream(route) ? route.abort('failed') : route.continue()));
    await visitor.open('data', 'stones');
    await visitor.seesConnection('Updates every 15 seconds');
    await visitor.isAccessible();
    await visitor.addOne('stones', 'Colour', 'Slate');
    await visitor.title('Slate').waitFor();
    await visitor.seesConnection('Updates every 15 seconds');
    await visitor.elsewhere().make('stones', { colour: 'Amber' });
    await visitor.later(0.25);
    await visitor.title('Amber').waitFor();
    await visitor.sees('New stone: Amber.');
    assert.deepEqual([...new Set(running.log.takeErrors())], ['net::ERR_FAILED /api/consumer/v1/events']);

    await visitor.page.unroute(events);
    for (let asks = 1; asks < 4; asks += 1) await visitor.later(0.25);
    await visitor.seesConnection('Live');
  });

  it('a reopened list announces no record that it already shows', async () => {
    await using visitor = await signedIn('Current');
    await visitor.open('data', 'stones');
    await visitor.sees('No stones yet.');
    await visitor.open('you');
    await visitor.sees('0 of 2');
    // Without listeners the service may name an earlier position for a list than the one it was read at.
    await visitor.elsewhere().make('stones', { colour: 'Slate' });
    const said = await visitor.recordNotices();
    await visitor.watch('stones');
    await visitor.title('Slate').waitFor();
    await visitor.elsewhere().make('stones', { colour: 'Amber' });
    const answeredAt = performance.now();
    await visitor.title('Amber').waitFor();
    const tookMs = performance.now() - answeredAt;
    assert.ok(tookMs < 1_000, `the list shows a record ${tookMs} ms after it was made elsewhere`);
    await visitor.sees('New stone: Amber.');
    assert.deepEqual(await said(), ['New stone: Amber.']);
  });

  it('the page polls if a proxy holds the stream back', async () => {
    await using visitor = await signedIn('Buffered');
    const held: Route[] = [];
    await visitor.page.route(events, (route) => (isStream(route) ? void held.push(route) : route.continue()));
    await visitor.open('data', 'stones');
    await visitor.seesConnection('Connecting…');
    await visitor.later(0.1);
    await visitor.seesConnection('Updates every 15 seconds');
    assert.equal(held.length, 1);
  });

  it('a lost connection is shown, and is restored when the service is back', async () => {
    await using visitor = await signedIn('Lost');
    await visitor.watch('stones');
    await site.stopService();
    await visitor.later(0.1);
    await visitor.seesConnection('Not connected');
    await site.startService();
    await visitor.elsewhere().make('stones', { colour: 'Slate' });
    await visitor.later(0.25);
    await visitor.seesConnection('Live');
    await visitor.title('Slate').waitFor();
    // The page retries the stream and the list.
    assert.deepEqual(
      [...new Set(running.log.takeErrors())],
      ['net::ERR_CONNECTION_REFUSED /api/consumer/v1/events', `net::ERR_CONNECTION_REFUSED ${stones}`],
    );
  });

  it('the stream is reopened with a new token when the old one expires', async () => {
    await using visitor = await signedIn('Renewed');
    await visitor.watch('stones');
    const before = visitor.elsewhere().token;
    const ahead = tokenSeconds * 1000 + minuteMs;
    // The new token is one by the clock that the provider has.
    await visitor.page.route(`${site.providerOrigin}/token`, async (route) => {
      await site.service.stepWallClock(-ahead);
      await route.continue();
    });
    const renewed = visitor.page.waitForResponse((reply) => reply.url().endsWith('/events') && reply.ok());
    await site.service.stepWallClock(ahead);
    assert.match(String((await renewed).headers()['content-type']), /^text\/event-stream/);
    assert.notEqual(visitor.elsewhere().token, before);
    await visitor.seesConnection('Live');
    await visitor.elsewhere().make('stones', { colour: 'Slate' });
    await visitor.title('Slate').waitFor();
    running.caused('403 /api/consumer/v1/events');
  });

  it('the stream closes while the page is hidden, and reopens when it is visible', async () => {
    await using visitor = await signedIn('Hidden');
    await visitor.watch('stones');
    const show = (isHidden: boolean) =>
      visitor.page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const ended = visitor.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await show(true);
    await visitor.later(0.25);
    await ended;
    await visitor.elsewhere().make('stones', { colour: 'Slate' });
    await show(false);
    await visitor.title('Slate').waitFor();
    await visitor.seesConnection('Live');
  });

  it('an expired token does not redirect an idle viewer to the provider', async () => {
    await site.stopProvider();
    await site.startProvider({ refreshTokens: false });
    await using visitor = await signedIn('Onlooking');
    await visitor.watch('stones');
    await visitor.page.evaluate('window.isSamePage = true');
    await site.service.stepWallClock(tokenSeconds * 1000 + minuteMs);
    await visitor.seesConnection('Not connected');
    await site.service.stepWallClock(-(tokenSeconds * 1000 + minuteMs));
    assert.equal(await visitor.page.evaluate('window.isSamePage'), true);
    const errors = ['401 /userinfo', '403 /api/consumer/v1/events', `403 ${stones}`];
    assert.deepEqual([...new Set(running.log.takeErrors())], errors);
  });
});
