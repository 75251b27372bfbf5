import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleFolder } from '../support/people/examples.ts';
import { browsing } from './browser.ts';
import { findingsOn } from './page-checks.ts';

const running = await browsing();
const meetup = await browsing({ COLLECTIONS_DIR: exampleFolder('meetup') });
const visitor = await running.visitor();

/** Every screen, in the order in which users see them, in the light and the dark scheme. */
describe('axe finds no serious or critical problem', () => {
  it('control: axe finds the problems of a bad page', async () => {
    const page = await visitor.context.newPage();
    await page.goto('data:text/html,<p style="color:%23ccc">pale</p><img src="data:,">');
    const found = (await findingsOn(page)).map((finding) => finding.split(' ')[0]);
    assert.deepEqual([...new Set(found)].sort(), [
      'color-contrast',
      'document-title',
      'html-has-lang',
      'image-alt',
    ]);
    await page.close();
  });

  it('on the sign-in page', () => visitor.isAccessible());

  it("on the provider's pages: sign-in, wrong password", async () => {
    await visitor.button('Sign in').click();
    await visitor.page.getByLabel('Password').waitFor();
    await visitor.isAccessible();
    await visitor.logIn('Examined', 'wrong');
    await visitor.sees('Wrong password');
    await visitor.isAccessible();
    running.caused('400 /interaction/…');
  });

  it('on the sign-in page after a refused consent', async () => {
    await visitor.open();
    await visitor.signInInVain();
    await visitor.isAccessible();
  });

  it('on what is behind the name of the person', async () => {
    await visitor.asDeveloper();
    await visitor.signIn('Examined');
    await visitor.seesPicture('Examined');
    await visitor.open('you');
    await visitor.sees(/^usr_/);
    await visitor.sees('0 of 40');
    await visitor.isAccessible();
  });

  it('in the dialog that confirms erasure', async () => {
    await visitor.button('Erase everything…').click();
    await visitor.dialog.getByRole('textbox').fill('erase everything');
    await visitor.isAccessible();
    await visitor.page.keyboard.press('Escape');
  });

  it('on an empty collection', async () => {
    await visitor.open('data', 'lendings');
    await visitor.sees('No lendings yet.');
    await visitor.isAccessible();
  });

  it('on a form, empty and with validation errors', async () => {
    await visitor.open('data', 'lendings', 'new');
    await visitor.button('Add to Labels').click();
    await visitor.isAccessible();
    await visitor.saveButton.click();
    await visitor.page.locator('[aria-invalid=true]').first().waitFor();
    await visitor.isAccessible();
    running.caused('422 /api/consumer/v1/lendings');
  });

  it('on a table with records in every state', async () => {
    const caller = visitor.elsewhere();
    const actions = [[], ['withdraw'], ['hand_out'], ['hand_out', 'bring_back']];
    for (const [number, steps] of actions.entries()) {
      const fields = { thing: `Bench ${number}`, from: '2027-05-01T08:00:00Z', count: 1, fragile: true };
      const { record } = await caller.make('lendings', fields);
      for (const step of steps) {
        await caller.send('POST', `/lendings/${record.id}/${step}`, undefined, { 'if-match': '*' });
      }
    }
    await visitor.open('data', 'lendings');
    await visitor.title('Bench 3').waitFor();
    await visitor.isAccessible();
  });

  for (const view of ['board', 'agenda'])
    it(`on the same records as ${view}`, async () => {
      await visitor.open('data', `lendings?view=${view}`);
      await visitor.page.locator(`.${view}`).getByText('Bench 3').waitFor();
      await visitor.isAccessible();
    });

  it('on a card that is carried, and on all keys', async () => {
    await visitor.open('data', 'lendings?view=board');
    await visitor.title('Bench 0').focus();
    await visitor.page.keyboard.press('Space');
    await visitor.sees(/^Picked up: Bench 0/);
    await visitor.isAccessible();
    await visitor.page.keyboard.press('Escape');
    await visitor.page.keyboard.press('?');
    await visitor.dialog.waitFor();
    await visitor.isAccessible();
    await visitor.page.keyboard.press('Escape');
  });

  it('in the menu of a row', async () => {
    await visitor.open('data', 'lendings?view=table');
    await visitor.button('More for Bench 0').click();
    await visitor.page.getByRole('menuitem').first().waitFor();
    await visitor.isAccessible();
    await visitor.page.keyboard.press('Escape');
  });

  it('while records are selected', async () => {
    await visitor.choose('Bench 0', 'Select');
    await visitor.page.getByRole('region', { name: 'Selected' }).waitFor();
    await visitor.isAccessible();
    await visitor.page.reload();
  });

  it('on a phone', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 844 });
    for (const view of ['table', 'board', 'agenda']) {
      await visitor.open('data', `lendings?view=${view}`);
      await visitor.title('Bench 3').waitFor();
      await visitor.isAccessible();
    }
    await visitor.page.setViewportSize({ width: 1280, height: 720 });
    await visitor.open('data', 'lendings?view=table');
  });

  it('on a record', async () => {
    await visitor.title('Bench 0').click();
    await visitor.heading('Bench 0').waitFor();
    await visitor.isAccessible();
    await visitor.page.goBack();
  });

  it('in the dialog that confirms deletion of a record', async () => {
    await visitor.choose('Bench 0', /^Delete/);
    await visitor.dialog.waitFor();
    await visitor.isAccessible();
    await visitor.page.keyboard.press('Escape');
  });

  it('on the choice between two versions of a record', async () => {
    const caller = visitor.elsewhere();
    await visitor.edit('Bench 0');
    await visitor.field('Thing').fill('Bench, mine');
    const [record] = (await caller.all('lendings')).filter(({ thing }) => thing === 'Bench 0');
    const theirs = { thing: 'Bench, theirs', from: record?.from, count: 2 };
    await caller.send('PUT', `/lendings/${record?.id}`, theirs, { 'if-match': '*' });
    await visitor.saveButton.click();
    await visitor.sees('It was changed in the meantime');
    await visitor.isAccessible();
    running.caused('412 /api/consumer/v1/lendings/…');
  });

  it('on a rate limit notice with a countdown, offline', async () => {
    await visitor.site.nextMinute();
    for (const idea of ['One', 'Two']) await visitor.elsewhere().make('sparks', { idea });
    await visitor.addOne('sparks', 'Idea', 'Three');
    await visitor.sees('Too many changes in a short time');
    await visitor.connect(false);
    await visitor.sees(/You are offline/);
    await visitor.isAccessible();
    await visitor.connect(true);
    running.caused('429 /api/consumer/v1/sparks');
  });

  it('on "Token"', async () => {
    await visitor.open('token');
    await visitor.sees('Accepted');
    await visitor.isAccessible();
  });

  it('on the page for an unknown address', async () => {
    await visitor.open('nowhere');
    await visitor.heading('This page does not exist').waitFor();
    await visitor.isAccessible();
  });

  it('on the receipt of an erasure', async () => {
    await visitor.open('you');
    await visitor.button('Erase everything…').click();
    await visitor.dialog.getByRole('textbox').fill('erase everything');
    await visitor.dialog.getByRole('button', { name: 'Erase everything' }).click();
    await visitor.heading('Your data is erased').waitFor();
    await visitor.isAccessible();
  });

  it('on the sign-out pages', async () => {
    await visitor.page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await visitor.heading('Sign out?').waitFor();
    await visitor.isAccessible();
    await visitor.button('Sign out').click();
    await visitor.sees('You are signed out');
    await visitor.isAccessible();
  });

  it('on the pages for a provider or a service that does not answer', async () => {
    await visitor.site.stopProvider();
    await visitor.button('Sign in').click();
    await visitor.heading('The provider does not answer').waitFor();
    await visitor.isAccessible();
    await visitor.page.route('**/web/config.json', (route) => route.abort('connectionrefused'));
    await visitor.page.reload();
    await visitor.heading('The service does not answer').waitFor();
    await visitor.isAccessible();
    running.caused(
      'net::ERR_CONNECTION_REFUSED /.well-known/openid-configuration',
      'net::ERR_CONNECTION_REFUSED /web/config.json',
    );
  });

  it('on the API reference', async () => {
    await visitor.page.unroute('**/web/config.json');
    await visitor.page.goto(`${visitor.site.origin}/docs`);
    await visitor.page.locator('article').first().waitFor();
    await visitor.isAccessible();
    // The page is long and repetitive: check the first operations of each part, unfolded.
    await visitor.page.evaluate(`
      for (const more of document.querySelectorAll('article:nth-of-type(n + 3)')) more.remove();
      for (const fold of document.querySelectorAll('details')) fold.open = true;
    `);
    await visitor.page
      .locator('.came')
      .first()
      .locator('xpath=..')
      .getByRole('button', { name: 'Send' })
      .click();
    await visitor.sees('Enter an access token in the field at the top first.');
    await visitor.isAccessible();
  });
});

describe('axe finds no serious or critical problem on what several people use', () => {
  it('on a meetup with places: record, members, invitation, registration, refused registration', async () => {
    const visitor = await meetup.signedIn('Host');
    const host = visitor.elsewhere();
    const fields = { title: 'Games', starts: '2099-01-01T18:00:00Z', seats: 1 };
    const { record } = await host.make('meetups', fields);
    await host.send('POST', `/meetups/${record.id}/publish`);
    await visitor.open('data', 'meetups');
    await visitor.title('Games').waitFor();
    await visitor.isAccessible();
    await visitor.title('Games').click();
    await visitor.sees('0 of 1 places');
    await visitor.isAccessible();

    await visitor.open('data', 'meetups', record.id, 'members');
    await visitor.heading('Members of Games').waitFor();
    await visitor.isAccessible();
    await visitor.button('Invite…').click();
    await visitor.isAccessible();
    await visitor.dialog.locator('[type=submit]').click();
    const link = await visitor.dialog.getByLabel('Link').inputValue();
    await visitor.isAccessible();
    const guest = await meetup.signedIn('Guest');
    await guest.page.goto(link);
    await guest.button('Join as helper').waitFor();
    await guest.isAccessible();
    await guest.button('Join as helper').click();
    await guest.heading('Games').waitFor();
    await guest.isAccessible();
    await guest.page.goto(link);
    await guest.page.getByRole('alert').waitFor();
    await guest.isAccessible();
    meetup.log.takeErrors();

    await visitor.page.reload();
    // The page goes to the provider and back, which would end another navigation.
    await visitor.me.waitFor();
    await visitor.open('data', 'meetups', record.id, 'open');
    await visitor.seesConnection('Live');
    await host.make('registrations', { meetup: record.id, note: 'Me' });
    await visitor.sees('1 of 1 places');
    await visitor.titles.first().waitFor();
    await visitor.isAccessible();
    await visitor.newLink.click();
    await visitor.saveButton.click();
    await visitor.sees('You have one registration in this meetup already');
    await visitor.isAccessible();
    meetup.caused('409 /api/consumer/v1/registrations');
    await visitor.open('data', 'registrations?view=board');
    await visitor.page.locator('.board-card').waitFor();
    await visitor.isAccessible();
  });
});
