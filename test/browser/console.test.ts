import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { withToken } from '../support/http/request.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me, runVestibule } from '../support/services/service.ts';
import { Keyboard } from './browser-keyboard.ts';
import { consolePage } from './console-page.ts';
import { findingsOn, fits } from './page-checks.ts';

const hostile = '</script><img src=x onerror="document.title = 1">';
const token = 'operator-token-of-at-least-32-characters';
/** At 1280 x 900. */
const twoScreens = 1_800;
const tickets = `title: '${hostile}'
schema: { properties: { text: { type: string, maxLength: 9 } } }
states: { open: { close: { to: closed, by: owner } }, closed: {} }`;

describe('the operator console in a browser', () => {
  const opened = consolePage();
  const running = deployment({
    settings: { COLLECTIONS_DIR: declarationsFolder({ tickets }), WEBHOOK_ALLOW: 'loopback' },
    prepare: async (settings) => {
      const run = async (...parameters: string[]) => succeeded(await runVestibule(settings, ...parameters));
      await run('client', 'add', 'billing', '--label', hostile);
      await run('webhook', 'add', 'http://127.0.0.1:9/secret-path', '--events', 'tickets.*');
    },
  });

  it('fits phones and desktops with every section, and axe finds no problem', async () => {
    const { page } = opened();
    await page.goto(running().service.opsUrl);
    await opened().headline.getByText('Ready, and nothing needs attention').waitFor();
    for (const width of [390, 1280]) {
      await fits(page, width);
      assert.deepEqual(await findingsOn(page), []);
    }
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    assert.ok(height <= twoScreens, `${height} pixels`);
    await page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })");
    assert.deepEqual(await findingsOn(page), []);
    await fits(page, 390);
  });

  it('shows labels and titles as text, and of a webhook address only the origin', async () => {
    const { page } = opened();
    for (const section of ['data', 'identity'])
      await opened().section(section).getByText(hostile).first().waitFor();
    assert.equal(await page.title(), 'Vestibule console');
    assert.equal((await page.content()).includes('secret-path'), false);
  });

  it('works by keyboard: copying a command and looking up a pseudonym', async () => {
    const { page } = opened();
    const { service, provider } = running();
    const { id } = (await withToken(service.url + me, await provider.token())).json();
    await page.reload();
    const keyboard = new Keyboard(page);
    const commands = opened().section('identity').getByText('Commands for billing');
    await keyboard.pressOn(commands);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await keyboard.pressOn(
      opened()
        .section('identity')
        .getByRole('button', { name: /client rotate billing/ }),
    );
    await opened().section('identity').getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, 'npx vestibule client rotate billing --retire-after 7d');
    await page.getByLabel('Pseudonym').fill(String(id));
    await page.getByLabel('Pseudonym').press('Enter');
    const caller = opened().section('caller');
    await caller.getByText('Registered').waitFor();
    await caller.getByText(`Commands for ${id}`).waitFor();
    await page.getByLabel('Pseudonym').fill('usr_nobody');
    await page.getByLabel('Pseudonym').press('Enter');
    await caller.getByText('There is no caller usr_nobody.').waitFor();
    opened().log.takeErrors();
  });

  it('reports that the service does not answer, and keeps the last numbers', async () => {
    const { page } = opened();
    await page.route('**/console/data', (route) => route.abort());
    await page.getByText(/The service has not answered since .* The numbers below are out of date/).waitFor();
    assert.deepEqual(await findingsOn(page), []);
    await page.reload();
    await page.getByRole('button', { name: 'Ask now' }).waitFor();
    await page.unroute('**/console/data');
    await page.getByRole('button', { name: 'Ask now' }).click();
    await opened().section('traffic').waitFor();
    opened().log.takeErrors();
  });
});

describe('the operator console with OPS_TOKEN, in a browser', () => {
  const opened = consolePage();
  const running = deployment({ settings: { OPS_TOKEN: token } });

  it('asks for the token, refuses a wrong one and opens with the right one', async () => {
    const { page } = opened();
    await page.goto(running().service.opsUrl);
    assert.deepEqual(await findingsOn(page), []);
    const field = page.getByLabel('Token (OPS_TOKEN)');
    await field.fill('a-wrong-token-of-at-least-32-characters!');
    await field.press('Enter');
    await page.getByText('The token is wrong.').waitFor();
    await field.fill(token);
    await page.getByRole('button', { name: 'Open' }).click();
    await opened().headline.getByText('Ready').waitFor();
    assert.deepEqual(opened().log.addressesWith(token), []);
    opened().log.takeErrors();
  });
});
