import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import type { Visitor } from './browser-visitor.ts';

const items = readFileSync('collections/items.yaml', 'utf8');

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder({ items }) });
const ada = await running.signedIn('Ada');
const bob = await running.signedIn('Bob');

describe('the lending library, for two people', () => {
  const card = ({ page }: Visitor, title = 'Drill') => page.locator('.record', { hasText: title });
  const lend = () => ada.dialog.getByRole('button', { name: 'Lend', exact: true });
  const due = () => ada.dialog.getByLabel('Due');

  it('the form of a new item omits fields that only an action sets', async () => {
    await ada.fillNew('items', 'Title', 'Drill');
    assert.equal(await ada.page.getByLabel('Due').count(), 0);
    await ada.button('Save').click();
    await card(ada).getByText('You are the owner').waitFor();
    await ada.link('Edit Drill').waitFor();
    await ada.button('Delete Drill').waitFor();
    await ada.seesConnection('Live');
  });

  it("another person can act on the item in everybody's list, but not edit it", async () => {
    await bob.open('everybodys', 'items');
    await bob.seesConnection('Live');
    await bob.button('Request Drill').waitFor();
    assert.equal(await card(bob).getByRole('link').count(), 0);
    assert.equal(await bob.button('Delete Drill').count(), 0);
    await bob.button('Request Drill').click();
    await card(bob).getByText('You are the borrower').waitFor();
    await bob.button('Withdraw Drill').waitFor();
    await bob.hasFocus(bob.heading('Drill'));
  });

  it('the owner sees the request without a reload', async () => {
    await ada.sees('Things to lend: “Drill” is requested now.');
    await ada.button('Decline Drill').waitFor();
    assert.equal(await ada.link('Edit Drill').count(), 0);
    assert.equal(await ada.button('Delete Drill').count(), 0);
  });

  it('an action with input opens a dialog with the focus on its first field', async () => {
    await ada.button('Lend Drill').click();
    await ada.hasFocus(due());
    await ada.isAccessible();
    await ada.page.keyboard.press('Escape');
    await due().waitFor({ state: 'detached' });
    await ada.hasFocus(ada.button('Lend Drill'));
  });

  it('invalid input is reported at its field', async () => {
    await ada.button('Lend Drill').click();
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
    await ada.hasFocus(ada.heading('Drill'));
    for (const visitor of [ada, bob]) {
      await card(visitor).locator('.state').getByText('Lent').waitFor();
      await card(visitor).getByText('15 Jan 2027').waitFor();
    }
    await bob.button('Bring back Drill').waitFor();
    await bob.isAccessible();
  });

  it("a new item appears live in everybody's list of another person", async () => {
    await ada.elsewhere().make('items', { title: 'Saw' });
    await bob.button('Request Saw').waitFor();
  });
});
