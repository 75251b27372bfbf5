import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { minuteMs, tokenSeconds } from './browser-site.ts';
import type { Visitor } from './browser-visitor.ts';

const afterItsLife = tokenSeconds / 60 + 1;

const running = await browsing();
const { site } = running;

describe('a token that expires while a form is being filled', () => {
  async function typing(name: string): Promise<Visitor> {
    const visitor = await running.signedIn(name);
    await visitor.fillNew('stones', 'Colour', 'Slate');
    return visitor;
  }

  async function stonesOf(visitor: Visitor): Promise<unknown[]> {
    await visitor.row('Slate').waitFor();
    return (await visitor.elsewhere().all('stones')).map(({ colour }) => colour);
  }

  it('is renewed with the refresh token, and the form is saved at once', async () => {
    await using visitor = await typing('Refreshed');
    const before = visitor.elsewhere().token;
    await visitor.later(afterItsLife);
    await visitor.saveButton.click();
    assert.deepEqual(await stonesOf(visitor), ['Slate']);
    assert.notEqual(visitor.elsewhere().token, before);
  });

  it('is also renewed if only the clock of the service finds it expired', async () => {
    await using visitor = await typing('Disputed');
    const ahead = tokenSeconds * 1000 + minuteMs;
    await site.service.stepWallClock(ahead);
    await visitor.page.route(`${site.providerOrigin}/token`, async (route) => {
      await site.service.stepWallClock(-ahead);
      await route.continue();
    });
    await visitor.saveButton.click();
    assert.deepEqual(await stonesOf(visitor), ['Slate']);
    running.caused('403 /api/consumer/v1/stones');
  });

  it('the draft survives an outage of the provider and is saved afterwards', async () => {
    await using visitor = await typing('Waiting');
    await visitor.later(afterItsLife);
    await site.stopProvider();
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText('No answer from the provider').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), 'Slate');
    running.caused('net::ERR_CONNECTION_REFUSED /token');

    // A restarted provider has no sessions or refresh tokens: the user must sign in again.
    await site.startProvider();
    await visitor.saveButton.click();
    await visitor.sees('Please sign in again');
    running.caused('400 /token');
    await visitor.signIn('Waiting');
    await visitor.sees('What you typed is still here');
    assert.equal(await visitor.field('Colour').inputValue(), 'Slate');
    await visitor.saveButton.click();
    assert.deepEqual(await stonesOf(visitor), ['Slate']);
  });

  it('without refresh tokens a silent redirect to the provider renews it and keeps the draft', async () => {
    await site.stopProvider();
    await site.startProvider({ refreshTokens: false });
    await using visitor = await typing('Travelling');
    const left = visitor.page.waitForRequest((request) => request.url().includes('prompt=none'));
    await visitor.later(afterItsLife);
    const asked = visitor.page.waitForResponse(`${site.providerOrigin}/userinfo`);
    await visitor.saveButton.click();
    await left;
    await asked;
    await visitor.sees('What you typed is still here');
    assert.equal(await visitor.field('Colour').inputValue(), 'Slate');
    await visitor.saveButton.click();
    assert.deepEqual(await stonesOf(visitor), ['Slate']);
    assert.deepEqual([...new Set(running.log.takeErrors())], ['401 /userinfo']);
  });
});
