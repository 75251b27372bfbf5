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

  it('on "You"', async () => {
    await visitor.signIn('Examined');
    await visitor.seesPicture('Examined');
    await visitor.sees(/^usr_/);
    await visitor.isAccessible();
  });

  it('on "Your data"', async () => {
    await visitor.open('data');
    await visitor.sees('0 of 40');
    await visitor.isAccessible();
  });

  it('in the dialog that confirms erasure', async () => {
    await visitor.button('Erase everything…').click();
    await visitor.dialog.getByRole('textbox').fill('erase everything');
    await visitor.isAccessible();
    await visitor.button('Keep it').click();
  });

  it('on an empty collection', async () => {
    await visitor.open('data', 'lendings');
    await visitor.sees('Nothing here yet');
    await visitor.sees('0 of 40');
    await visitor.isAccessible();
  });

  it('on a form, empty and with validation errors', async () => {
    await visitor.open('data', 'lendings', 'new');
    await visitor.button('Add to Labels').click();
    await visitor.isAccessible();
    await visitor.button('Save').click();
    await visitor.sees(/fields are not valid/);
    await visitor.isAccessible();
    running.caused('422 /api/consumer/v1/lendings');
  });

  it('on a list with records in every state', async () => {
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
    await visitor.heading('Bench 3').waitFor();
    await visitor.sees('4 of 40');
    await visitor.isAccessible();
  });

  it('in the dialog that confirms deletion of a record', async () => {
    await visitor.button('Delete Bench 0').click();
    await visitor.dialog.waitFor();
    await visitor.isAccessible();
    await visitor.button('Keep it').click();
  });

  it('on the choice between two versions of a record', async () => {
    const caller = visitor.elsewhere();
    await visitor.link('Edit Bench 0').click();
    await visitor.field('Thing').fill('Bench, mine');
    const [record] = (await caller.all('lendings')).filter(({ thing }) => thing === 'Bench 0');
    const theirs = { thing: 'Bench, theirs', from: record?.from, count: 2 };
    await caller.send('PUT', `/lendings/${record?.id}`, theirs, { 'if-match': '*' });
    await visitor.button('Save').click();
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
    await visitor.open('data');
    await visitor.button('Erase everything…').click();
    await visitor.dialog.getByRole('textbox').fill('erase everything');
    await visitor.dialog.getByRole('button', { name: 'Erase everything' }).click();
    await visitor.heading('Your data is erased').waitFor();
    await visitor.isAccessible();
  });

  it('on the sign-out pages', async () => {
    await visitor.page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
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

describe('axe finds no serious or critical problem on child records', () => {
  it('on a meetup with places: list, registration, new form, refused registration', async () => {
    const visitor = await meetup.signedIn('Host');
    const host = visitor.elsewhere();
    const fields = { title: 'Games', starts: '2099-01-01T18:00:00Z', seats: 1 };
    const { record } = await host.make('meetups', fields);
    await host.send('POST', `/meetups/${record.id}/publish`);
    await visitor.open('data', 'meetups');
    await visitor.link('Registrations of Games').click();
    await visitor.sees('0 of 1 taken');
    await visitor.isAccessible();
    await host.make('registrations', { meetup: record.id, note: 'Me' });
    await visitor.sees('1 of 1 taken');
    await visitor.heading('Me').waitFor();
    await visitor.isAccessible();
    await visitor.link('New in Registrations').click();
    await visitor.button('Save').click();
    await visitor.sees('There is one already');
    await visitor.isAccessible();
    meetup.caused('409 /api/consumer/v1/registrations');
    await visitor.open('data', 'registrations');
    await visitor.link('Go to meetup of Me').waitFor();
    await visitor.isAccessible();
  });
});
