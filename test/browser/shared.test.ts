import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';

const items = readFileSync('collections/items.yaml', 'utf8');

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder({ items }) });
const ada = await running.signedIn('Ada');
const bob = await running.signedIn('Bob');

describe('the lending library, for two people', () => {
  const lend = () => ada.dialog.getByRole('button', { name: 'Lend', exact: true });
  const due = () => ada.dialog.getByLabel('Due');

  it('the form of a new item omits fields that only an action sets', async () => {
    await ada.fillNew('items', 'Title', 'Drill');
    assert.equal(await ada.page.getByLabel('Due').count(), 0);
    await ada.saveButton.click();
    await ada.row('Drill').waitFor();
    await ada.seesConnection('Live');
    const offered = await ada.menuOf('Drill');
    assert.deepEqual(offered.slice(0, -1), ['Open', 'Edit', 'Copy link', 'Select']);
    assert.match(String(offered.at(-1)), /^Delete/);
    await ada.title('Drill').click();
    await ada.page.getByTitle(/^per_/).getByText('(you)').waitFor();
    await ada.link('Back to Things to lend').click();
  });

  it("another person can act on the item in everybody's list, but not edit it", async () => {
    await bob.open('data', 'items');
    await bob.seesConnection('Live');
    await bob.button('Request Drill').waitFor();
    assert.deepEqual(await bob.menuOf('Drill'), ['Open', 'Copy link', 'Select']);
    await bob.button('Request Drill').click();
    await bob.row('Drill').getByText('Requested', { exact: true }).waitFor();
    await bob.hasFocus(bob.title('Drill'));
    await bob.title('Drill').click();
    await bob.sees('You are the borrower');
    await bob.button('Withdraw').waitFor();
    await bob.link('Back to Things to lend').click();
  });

  it('the owner sees the request without a reload', async () => {
    await ada.hears(/requested.*Drill|Drill.*requested/i);
    await ada.button('Lend… Drill').waitFor();
    assert.deepEqual(await ada.menuOf('Drill'), ['Open', 'Decline', 'Copy link', 'Select']);
  });

  it('an action with input opens a dialog with the focus on its first field', async () => {
    await ada.button('Lend… Drill').click();
    await ada.hasFocus(due());
    await ada.isAccessible();
    await ada.page.keyboard.press('Escape');
    await due().waitFor({ state: 'detached' });
    await ada.hasFocus(ada.button('Lend… Drill'));
  });

  it('invalid input is reported at its field', async () => {
    await ada.button('Lend… Drill').click();
    await ada.hasFocus(due());
    await lend().click();
    await ada.page.locator('dialog .field-error').waitFor();
    assert.equal(await due().getAttribute('aria-invalid'), 'true');
    await ada.isAccessible();
    running.caused('422 /api/consumer/v1/items/…/lend');
  });

  it('the item is lent with a date, and the borrower sees it live', async () => {
    await due().fill('2027-01-15');
    await lend().click();
    await due().waitFor({ state: 'detached' });
    await ada.hasFocus(ada.title('Drill'));
    for (const visitor of [ada, bob]) {
      await visitor.row('Drill').getByText('Lent', { exact: true }).waitFor();
      await visitor.row('Drill').locator('time[datetime="2027-01-15"]').waitFor();
    }
    await bob.button('Bring back Drill').waitFor();
    await bob.isAccessible();
  });

  it("a new item appears live in everybody's list of another person", async () => {
    await ada.elsewhere().make('items', { title: 'Saw' });
    await bob.button('Request Saw').waitFor();
  });
});
