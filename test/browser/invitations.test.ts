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

  const remove = async () => {
    await ada.button(/^Remove/).click();
    await ada.dialog.getByRole('button', { name: 'Remove' }).click();
  };

  it('"New" is offered only to callers who may create; others read which role may', async () => {
    await ada.open('data', 'rulings');
    await ada.sees(/Only people with the role “judge”/i);
    assert.equal(await ada.newLink.count(), 0);
    await ada.open('data', 'rulings', 'new');
    await ada.sees(/^You cannot /);
    assert.equal(await ada.page.locator('form').count(), 0);
    await ada.open('data', 'lists');
    await ada.newLink.waitFor();
  });

  it('the invitation dialog shows a link with the code after "#"', async () => {
    await ada.addOne('lists', 'Title', 'Flat');
    await ada.title('Flat').click();
    await ada.button('Invite…').click();
    const roles = ada.dialog.getByLabel('Role');
    const offered = await roles.locator('option[value]:not([value=""])').allInnerTexts();
    assert.deepEqual(offered, ['Admin', 'Member']);
    await roles.selectOption({ label: 'Member' });
    await ada.dialog.getByLabel('People it admits').fill('101');
    await ada.dialog.locator('[type=submit]').click();
    await ada.dialog.locator('.field-error').waitFor();
    await ada.isAccessible();
    running.caused('422 /api/consumer/v1/lists/…/invitations');
    await ada.dialog.getByLabel('People it admits').fill('2');
    await ada.dialog.locator('[type=submit]').click();
    link = await ada.dialog.getByLabel('Link').inputValue();
    await ada.isAccessible();
    const { origin, pathname, search, hash } = new URL(link);
    assert.deepEqual([origin, pathname, search], [ada.site.origin, '/', '']);
    assert.match(hash, /^#\/invitation\/[\w-]{22}$/);
    await ada.dialog.getByRole('button', { name: 'Done' }).click();
  });

  it('"Members" lists the owner and the open invitation', async () => {
    await ada.link('All members').click();
    await ada.heading('Members of Flat').waitFor();
    await ada.seesConnection('Live');
    await invitations(ada).getByText('For 2 more people').waitFor();
    assert.equal(await members(ada).count(), 1);
    await members(ada).getByText('(you)').waitFor();
    await ada.isAccessible();
  });

  it('the invitation survives sign-in, and its code leaves the address bar', async () => {
    await bob.page.goto(link);
    await bob.page.reload();
    await bob.sees('You are invited');
    assert.equal(bob.page.url(), `${bob.site.origin}/#/invitation`);
    await bob.isAccessible();
    await bob.signIn('Bob');
    await bob.heading('You are invited').waitFor();
    assert.equal(bob.page.url(), `${bob.site.origin}/#/invitation`);
  });

  it('it names the collection, the role and what the role may do before one joins', async () => {
    await bob.heading('Lists: join one list as a member').waitFor();
    await bob.sees('You can read it');
    await bob.sees('You can change it');
    assert.equal(await bob.page.getByText('You can invite others').count(), 0, 'only an admin can');
    assert.equal(await bob.page.getByText('Flat').count(), 0, 'nothing of the record is shown yet');
    await bob.isAccessible();
  });

  it('joining opens the record, and the owner sees the new member live', async () => {
    await bob.button('Join as member').click();
    await bob.hasFocus(bob.heading('Flat'));
    await bob.hears('You joined Flat as member.');
    await bob.sees('You are a member');
    await bob.seesConnection('Live');
    await bob.link('All members').click();
    await until(() => members(bob).count(), 2, 'the members are not there');
    assert.equal(await bob.button(/^(Invite|Remove|Change role)/).count(), 0);
    await members(ada).getByText('Member since').waitFor();
    await invitations(ada).getByText('For 1 more person').waitFor();
    await bob.isAccessible();
  });

  it('a link that cannot be accepted says why: already a member, invalid, rate limited', async () => {
    await bob.join(link);
    await bob.sees('409 already_member');
    await bob.page.goto(`${bob.site.origin}/#/invitation/${'x'.repeat(22)}`);
    await bob.sees('This invitation does not work');
    assert.equal(await bob.button(/^Join/).count(), 0);
    await bob.isAccessible();
    for (let tries = 0; tries < 10; tries++)
      await bob.elsewhere().send('POST', '/invitations', { code: 'x'.repeat(22) });
    await bob.page.goto(`${bob.site.origin}/#/invitation/${'y'.repeat(22)}`);
    await bob.sees('Too many invitations that do not work');
    await bob.sees(/^Try again in/);
    running.caused(
      '404 /api/consumer/v1/invitations/preview',
      '409 /api/consumer/v1/invitations',
      '429 /api/consumer/v1/invitations/preview',
    );
    await bob.site.pass(minuteMs);
  });

  it('the owner ends an invitation and changes the role of the member', async () => {
    await ada.button(/^End for member/).click();
    await invitations(ada).first().waitFor({ state: 'detached' });
    await ada.button(/^Change role.* of /).click();
    await ada.isAccessible();
    await ada.dialog.getByRole('button', { name: 'Change it' }).click();
    await members(ada).getByText('Admin since').waitFor();
    await bob.open('data', 'lists');
    await bob.title('Flat').click();
    await bob.sees('You are an admin');
    await bob.link('All members').click();
    await bob.button('Invite…').click();
    const roles = bob.dialog.getByLabel('Role');
    const offered = await roles.locator('option[value]:not([value=""])').allInnerTexts();
    assert.deepEqual(offered, ['Member']);
    await bob.dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('a removed member reads that the record is no longer shared, not that it was deleted', async () => {
    await bob.seesConnection('Live');
    await ada.button(/^Remove/).click();
    await ada.isAccessible();
    await ada.dialog.getByRole('button', { name: 'Remove' }).click();
    await bob.page.locator('.notice').getByText('You are no longer a member of this list').waitFor();
    await bob.hears(/no longer.*Flat|Flat.*no longer/);
    await until(() => members(ada).count(), 1, 'the list of members has not changed');
    await bob.isAccessible();
    // The page may read the record once more before the event arrives.
    assert.deepEqual([...new Set(running.log.takeErrors())], ['404 /api/consumer/v1/lists/…']);
  });

  it('a removed member reads the same in a list and in a form', async () => {
    await bob.join(await ada.invite('Member'));
    await bob.sees('You are a member');
    await bob.open('data', 'lists');
    await bob.row('Flat').waitFor();
    await bob.seesConnection('Live');
    await remove();
    await bob.hears(/no longer.*Flat|Flat.*no longer/);
    await bob.join(await ada.invite('Admin'));
    await bob.sees('You are an admin');
    await bob.link('Edit').click();
    await bob.field('Title').waitFor();
    await remove();
    await bob.page.locator('.notice').getByText('You are no longer a member of this list').waitFor();
    // The page may read the record once more before the event arrives.
    assert.deepEqual([...new Set(running.log.takeErrors())], ['404 /api/consumer/v1/lists/…']);
  });

  it('a member leaves, and the owner sees it live', async () => {
    await bob.join(await ada.invite('Member'));
    await bob.sees('You are a member');
    await bob.choose('Flat', /^Leave/);
    await bob.isAccessible();
    await bob.dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await bob.hears('You are no longer a member of Flat.');
    await bob.sees('No lists yet.');
    await members(ada).getByText('Member since').waitFor({ state: 'detached' });
  });

  it('people have two words and a picture: the same for all in a record, and others in another one', async () => {
    const seen = (visitor: Visitor) =>
      members(visitor)
        .locator('.who')
        .evaluateAll((people) =>
          people.map((one) => {
            const words = String(one.querySelector('.cut')?.firstChild?.textContent);
            return [words, String(one.querySelector('svg')?.innerHTML)] as const;
          }),
        );
    await bob.join(await ada.invite('Member'));
    await bob.link('All members').click();
    for (const visitor of [ada, bob])
      await until(() => members(visitor).count(), 2, 'there are not two members');
    const flat = await seen(bob);
    assert.deepEqual(await seen(ada), flat);
    for (const [words] of flat) assert.match(words, /^\p{Lu}\p{Ll}+ \p{Ll}+$/u);
    await ada.addOne('lists', 'Title', 'Cellar');
    await ada.title('Cellar').click();
    await bob.join(await ada.invite('Member'));
    await bob.link('All members').click();
    await bob.heading('Members of Cellar').waitFor();
    await until(() => members(bob).count(), 2, 'there are not two members');
    const pictures = new Set([...flat, ...(await seen(bob))].map(([, picture]) => picture));
    assert.equal(pictures.size, 4);
  });

  it('no request address contains the invitation code', () => {
    const code = new URL(link).hash.split('/').at(-1) ?? assert.fail();
    assert.deepEqual(running.log.addressesWith(code), []);
  });
});
