import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import { minuteMs } from './browser-site.ts';
import type { Visitor } from './browser-visitor.ts';

const declarations = {
  lists: `
title: Lists
schema: { required: [title], properties: { title: { type: string, minLength: 1, maxLength: 60 } } }
roles:
  admin: { invited_by: owner, max: 2 }
  member: { invited_by: [owner, admin], max: 1 }
access: { read: [owner, admin, member], update: [owner, admin, member], delete: owner }
aliases: true
limits: { writes: 1000/min }
`,
  rulings: `
title: Rulings
schema: { required: [title], properties: { title: { type: string, minLength: 1, maxLength: 60 } } }
roles: { judge: { scope: rulings.judge } }
access: { create: judge, read: [owner, judge] }
`,
};

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder(declarations) });
const ada = await running.signedIn('Ada');
const bob = await running.visitor();

describe('a list shared by invitation, in two browsers', () => {
  const members = ({ page }: Visitor) => page.getByRole('list', { name: 'Members' }).getByRole('listitem');
  const invitations = ({ page }: Visitor) =>
    page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem');
  let link = '';

  const accept = async (address: string) => {
    await bob.page.goto(address);
    await bob.heading('You are invited').waitFor();
    await bob.button('Accept').click();
  };

  const remove = async () => {
    await ada.button(/^Remove per_/).click();
    await ada.dialog.getByRole('button', { name: 'Remove' }).click();
  };

  it('"New" is offered only to callers who may create; others read which role may', async () => {
    await ada.open('data', 'rulings');
    await ada.sees(/Only people with the role “judge”/);
    assert.equal(await ada.link('New').count(), 0);
    assert.equal(await ada.link('Make the first one').count(), 0);
    await ada.open('data', 'rulings', 'new');
    await ada.sees('You cannot create records here');
    assert.equal(await ada.page.locator('form').count(), 0);
    await ada.open('data', 'lists');
    await ada.link('New').waitFor();
  });

  it('the invitation dialog shows a link with the code after "#"', async () => {
    await ada.addOne('lists', 'Title', 'Flat');
    await ada.button('Invite to Flat').click();
    const roles = ada.dialog.getByLabel('Role');
    assert.deepEqual(await roles.locator('option').allInnerTexts(), ['Choose…', 'Admin', 'Member']);
    await roles.selectOption({ label: 'Member' });
    await ada.dialog.getByLabel('People it admits').fill('101');
    await ada.dialog.getByRole('button', { name: 'Make a link' }).click();
    await ada.dialog.locator('.field-error').waitFor();
    await ada.isAccessible();
    running.caused('422 /api/consumer/v1/lists/…/invitations');
    await ada.dialog.getByLabel('People it admits').fill('2');
    await ada.dialog.getByRole('button', { name: 'Make a link' }).click();
    link = await ada.dialog.getByLabel('Link').inputValue();
    await ada.isAccessible();
    const { origin, pathname, search, hash } = new URL(link);
    assert.deepEqual([origin, pathname, search], [ada.site.origin, '/', '']);
    assert.match(hash, /^#\/invitation\/[\w-]{22}$/);
    await ada.dialog.getByRole('button', { name: 'Done' }).click();
  });

  it('"Members" lists the owner and the open invitation', async () => {
    await ada.link('Members of Flat').click();
    await ada.seesConnection('Live');
    await invitations(ada).getByText('For 2 more people').waitFor();
    assert.equal(await members(ada).count(), 1);
    await members(ada).getByText('you', { exact: true }).waitFor();
    await ada.isAccessible();
  });

  it('the invitation survives sign-in, and its code leaves the address bar', async () => {
    await bob.page.goto(link);
    await bob.page.reload();
    await bob.sees('You are invited');
    assert.equal(bob.page.url(), `${bob.site.origin}/#/invitation`);
    await bob.isAccessible();
    await bob.signIn('Bob');
    await bob.button('Accept').waitFor();
    assert.equal(bob.page.url(), `${bob.site.origin}/#/invitation`);
    await bob.isAccessible();
  });

  it('accepting shows the record, and the owner sees the new member live', async () => {
    await bob.button('Accept').click();
    await bob.sees('You are a member');
    await bob.seesConnection('Live');
    assert.equal(await members(bob).count(), 2);
    assert.equal(await bob.button(/^(Invite|Remove|Change role)/).count(), 0);
    await members(ada).getByText('Member since').waitFor();
    await invitations(ada).getByText('For 1 more person').waitFor();
    await bob.isAccessible();
  });

  it('a link that cannot be accepted says why: already a member, invalid, rate limited', async () => {
    await accept(link);
    await bob.sees('You have a role in it already');
    await accept(`${bob.site.origin}/#/invitation/${'x'.repeat(22)}`);
    await bob.sees('This invitation does not work');
    assert.equal(await bob.button('Accept').count(), 0);
    await bob.isAccessible();
    for (let tries = 0; tries < 10; tries++)
      await bob.elsewhere().send('POST', '/invitations', { code: 'x'.repeat(22) });
    await accept(`${bob.site.origin}/#/invitation/${'y'.repeat(22)}`);
    await bob.sees('Too many invitations that do not work');
    await bob.sees(/^Try again in/);
    running.caused(
      '404 /api/consumer/v1/invitations',
      '409 /api/consumer/v1/invitations',
      '429 /api/consumer/v1/invitations',
    );
    await bob.site.pass(minuteMs);
  });

  it('the owner ends an invitation and changes the role of the member', async () => {
    await ada.button(/^End for member/).click();
    await invitations(ada).first().waitFor({ state: 'detached' });
    await ada.button(/^Change role of per_/).click();
    await ada.isAccessible();
    await ada.dialog.getByRole('button', { name: 'Change it' }).click();
    await members(ada).getByText('Admin since').waitFor();
    await bob.open('data', 'lists');
    await bob.sees('You are an admin');
    await bob.link('Members of Flat').click();
    await bob.button('Invite to Flat').click();
    const roles = bob.dialog.getByLabel('Role');
    assert.deepEqual(await roles.locator('option').allInnerTexts(), ['Choose…', 'Member']);
    await bob.dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('a removed member reads that the record is no longer shared, not that it was deleted', async () => {
    await bob.seesConnection('Live');
    await ada.button(/^Remove per_/).click();
    await ada.isAccessible();
    await ada.dialog.getByRole('button', { name: 'Remove' }).click();
    await bob.page.locator('.notice').getByText('It is no longer shared with you').waitFor();
    await bob.sees('Lists: “Flat” is no longer shared with you.');
    await until(() => members(ada).count(), 1, 'the list of members has not changed');
    await bob.isAccessible();
    // The page may read the record once more before the event arrives.
    assert.deepEqual([...new Set(running.log.takeErrors())], ['404 /api/consumer/v1/lists/…']);
  });

  it('a removed member reads the same in a list and in a form', async () => {
    await accept(await ada.invite('Flat', 'Member'));
    await bob.sees('You are a member');
    await bob.open('data', 'lists');
    await bob.heading('Flat').waitFor();
    await bob.seesConnection('Live');
    await remove();
    await bob.sees('Lists: “Flat” is no longer shared with you.');
    await accept(await ada.invite('Flat', 'Admin'));
    await bob.sees('You are an admin');
    await bob.link('Edit Flat').click();
    await bob.field('Title').waitFor();
    await remove();
    await bob.page.locator('.notice').getByText('It is no longer shared with you').waitFor();
    // The page may read the record once more before the event arrives.
    assert.deepEqual([...new Set(running.log.takeErrors())], ['404 /api/consumer/v1/lists/…']);
  });

  it('a member leaves, and the owner sees it live', async () => {
    await accept(await ada.invite('Flat', 'Member'));
    await bob.sees('You are a member');
    await bob.button('Leave Flat').click();
    await bob.isAccessible();
    await bob.dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await bob.sees('You have left it.');
    await bob.sees('You have nothing here yet');
    await members(ada).getByText('Member since').waitFor({ state: 'detached' });
    // The page reads the record once more, before or after the event.
    assert.deepEqual([...new Set(running.log.takeErrors())], ['404 /api/consumer/v1/lists/…']);
  });

  it('no request address contains the invitation code', () => {
    const code = new URL(link).hash.split('/').at(-1) ?? assert.fail();
    assert.deepEqual(running.log.addressesWith(code), []);
  });
});
