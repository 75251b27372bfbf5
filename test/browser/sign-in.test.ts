import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing, describeNetworkLog } from './browser.ts';
import { findingsOn } from './browser-axe.ts';
import { personNamed } from './browser-person.ts';

const discovery = '/.well-known/openid-configuration';
const settings = '**/web/config.json';

describe('sign-in with errors', () => {
  const running = browsing();

  it('a wrong password is reported, and the right one works afterwards', async () => {
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

  it('a refused consent is reported, and signing in works afterwards', async () => {
    const visitor = await running().visitor();
    await visitor.signInInVain();
    assert.equal(new URL(visitor.page.url()).search, '');
    await visitor.signIn(personNamed('Unwilling'));
  });

  it('an authorization answer that this tab did not request is refused', async () => {
    const visitor = await running().visitor();
    await visitor.page.goto(`${visitor.site.origin}/?code=stolen&state=guessed`);
    await visitor.sees('This sign-in was not begun in this tab.');
    assert.equal(new URL(visitor.page.url()).search, '');
  });

  it('of two providers the chosen one signs the user in', async () => {
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

  it('an answer with another issuer is refused and its code not redeemed', async () => {
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

  it('an unreachable provider is reported, and signing in can be retried', async () => {
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

  it('the draft survives a reload during an outage of the provider', async () => {
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
    // A restarted provider has no sessions.
    await site.startProvider();
    await visitor.button('Try again').click();
    await visitor.sees('Please sign in again');
    await visitor.signIn(person);
    await visitor.sees('What you typed is still here');
    assert.equal(await visitor.field('Colour').inputValue(), 'Half a word');
  });

  it('another person who signs in in the same tab does not see the draft', async () => {
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
