import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing, describeNetworkLog } from './browser.ts';
import { findingsOn } from './browser-axe.ts';
import { personNamed } from './browser-person.ts';

const discovery = '/.well-known/openid-configuration';
const settings = '**/web/config.json';

describe('signing in, when it does not go well', () => {
  const running = browsing();

  it('a wrong password is said to be wrong, and the right one works after it', async () => {
    const visitor = await running().visitor();
    const person = personNamed('Forgetful');
    await visitor.button('Sign in').click();
    await visitor.logIn(person, 'not the password');
    await visitor.page
      .getByRole('alert')
      .getByText(/Wrong password/)
      .waitFor();
    assert.equal(await visitor.page.getByLabel('User name').inputValue(), person.userName);
    await visitor.logIn(person);
    await visitor.sees(person.name);
    assert.deepEqual(running().log.takeErrors(), ['400 /interaction/…']);
  });

  it('a refused consent is taken for an answer', async () => {
    const visitor = await running().visitor();
    await visitor.signInInVain();
    assert.equal(new URL(visitor.page.url()).search, '');
    await visitor.signIn(personNamed('Unwilling'));
  });

  it('a sign-in that was begun elsewhere is not taken', async () => {
    const visitor = await running().visitor();
    await visitor.page.goto(`${visitor.site.origin}/?code=stolen&state=guessed`);
    await visitor.sees('This sign-in was not begun in this tab.');
    assert.equal(new URL(visitor.page.url()).search, '');
  });

  it('of two providers the page signs in at the one that was chosen', async () => {
    const visitor = await running().visitor();
    const person = personNamed('Choosing');
    const school = { title: 'Harbour School', issuer: 'https://school.example.org' };
    await visitor.page.route(settings, async (route) => {
      const response = await route.fetch();
      const { providers, ...rest } = await response.json();
      const both = [
        { ...providers[0], ...school, name: 'school' },
        { ...providers[0], title: 'City Library' },
      ];
      await route.fulfill({ response, json: { ...rest, providers: both } });
    });
    await visitor.page.reload();
    await visitor.sees('school.example.org');
    assert.deepEqual(await visitor.button(/^Sign in/).allInnerTexts(), [
      'Sign in with Harbour School',
      'Sign in with City Library',
    ]);
    assert.deepEqual(await findingsOn(visitor.page), []);
    await visitor.button('Sign in with City Library').click();
    await visitor.logIn(person);
    await visitor.seesPicture(person);
  });

  it('an answer that names another provider is refused, and its code is not redeemed', async () => {
    const { log, site } = running();
    const visitor = await running().visitor();
    await visitor.button('Sign in').click();
    // Without its settings the page does not read the answer yet.
    await visitor.page.route(settings, (route) => route.abort('connectionrefused'));
    await visitor.logIn(personNamed('Mixed'));
    await visitor.heading('The service does not answer').waitFor();
    await visitor.page.unroute(settings);
    assert.deepEqual(log.takeErrors(), ['net::ERR_CONNECTION_REFUSED /web/config.json']);
    const answer = new URL(visitor.page.url());
    assert.equal(answer.searchParams.get('iss'), site.providerOrigin);
    answer.searchParams.set('iss', 'https://school.example.org');
    const redeemed = log.countOf('POST', site.providerOrigin);
    await visitor.page.goto(answer.href);
    await visitor.page.getByRole('alert').getByText('from another provider').waitFor();
    assert.equal(log.countOf('POST', site.providerOrigin), redeemed);
  });

  it('a provider that is down is said to be down, and can be tried again', async () => {
    const { log, site } = running();
    const visitor = await running().visitor();
    await site.stopProvider();
    await visitor.button('Sign in').click();
    await visitor.heading('The provider does not answer').waitFor();
    await visitor.button('Try again').click();
    await visitor.button('Sign in').click();
    await visitor.heading('The provider does not answer').waitFor();
    const refused = `net::ERR_CONNECTION_REFUSED ${discovery}`;
    assert.deepEqual(log.takeErrors(), [refused, refused]);
    await site.startProvider();
    await visitor.button('Try again').click();
    await visitor.signIn(personNamed('Patient'));
  });

  it('a reload while the provider is down ends in its page, and goes on from there once it is back', async () => {
    const { log, site } = running();
    const visitor = await running().visitor();
    const person = personNamed('Reloading');
    await visitor.signIn(person);
    await visitor.seesPicture(person);
    await visitor.open('data', 'stones', 'new');
    await visitor.field('Colour').fill('Half a word');
    await site.stopProvider();
    await visitor.page.reload();
    await visitor.heading('The provider does not answer').waitFor();
    assert.deepEqual(log.takeErrors(), [`net::ERR_CONNECTION_REFUSED ${discovery}`]);
    // The provider has forgotten its sessions over it.
    await site.startProvider();
    await visitor.button('Try again').click();
    await visitor.sees('Please sign in again');
    await visitor.signIn(person);
    await visitor.sees('What you typed is still here');
    assert.equal(await visitor.field('Colour').inputValue(), 'Half a word');
  });

  it('somebody else who signs in in the same tab finds nothing of what was typed', async () => {
    const visitor = await running().visitor();
    await visitor.signIn(personNamed('Former'));
    await visitor.open('data', 'stones', 'new');
    await visitor.field('Colour').fill('My secret');
    await visitor.context.clearCookies();
    await visitor.page.reload();
    await visitor.sees('Please sign in again');
    await visitor.signIn(personNamed('Latter'));
    await visitor.heading('New in Stones').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), '');
    assert.equal(await visitor.page.getByText('What you typed is still here').count(), 0);
  });

  describeNetworkLog(running);
});
