import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { personNamed } from './browser-person.ts';

const discovery = '/.well-known/openid-configuration';
const settings = '**/web/config.json';

/** The answer of GET /me to a token without a subject. */
const nobody = {
  id: null,
  kind: 'client',
  registered_at: null,
  subject: null,
  token: { issued_at: null, expires_at: '2099-01-01T00:00:00.000Z' },
};

const running = await browsing();
const { log, site } = running;

describe('sign-in with errors', () => {
  it('a wrong password is reported, and the right one works afterwards', async () => {
    const visitor = await running.visitor();
    await visitor.button('Sign in').click();
    await visitor.logIn('Forgetful', 'not the password');
    await visitor.page.getByRole('alert').getByText('Wrong password').waitFor();
    assert.equal(await visitor.page.getByLabel('User name').inputValue(), personNamed('Forgetful').userName);
    await visitor.logIn('Forgetful');
    await visitor.seesFirstPage('Forgetful');
    running.caused('400 /interaction/…');
  });

  it('a refused consent is reported, and signing in works afterwards', async () => {
    const visitor = await running.visitor();
    await visitor.signInInVain();
    assert.equal(new URL(visitor.page.url()).search, '');
    await visitor.signIn('Unwilling');
  });

  it('an authorization answer that this tab did not request is refused', async () => {
    const visitor = await running.visitor();
    await visitor.page.goto(`${visitor.site.origin}/?code=stolen&state=guessed`);
    await visitor.sees('This sign-in was not begun in this tab.');
    assert.equal(new URL(visitor.page.url()).search, '');
  });

  it('of two providers the chosen one signs the user in', async () => {
    const visitor = await running.visitor();
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
    await visitor.isAccessible();
    await visitor.button('Sign in with City Library').click();
    await visitor.logIn('Choosing');
    await visitor.seesPicture('Choosing');
  });

  it('an answer with another issuer is refused and its code not redeemed', async () => {
    const visitor = await running.visitor();
    const answer = await visitor.answerOf('Sign in', 'Mixed');
    running.caused('net::ERR_CONNECTION_REFUSED /web/config.json');
    assert.equal(answer.searchParams.get('iss'), site.providerOrigin);
    answer.searchParams.set('iss', 'https://school.example.org');
    const redeemed = log.countOf('POST', site.providerOrigin);
    await visitor.page.goto(answer.href);
    await visitor.page.getByRole('alert').getByText('from another provider').waitFor();
    assert.equal(log.countOf('POST', site.providerOrigin), redeemed);
  });

  it('an unreachable provider is reported, and signing in can be retried', async () => {
    const visitor = await running.visitor();
    await site.stopProvider();
    await visitor.button('Sign in').click();
    await visitor.heading('The provider does not answer').waitFor();
    await visitor.button('Try again').click();
    await visitor.button('Sign in').click();
    await visitor.heading('The provider does not answer').waitFor();
    const refused = `net::ERR_CONNECTION_REFUSED ${discovery}`;
    running.caused(refused, refused);
    await site.startProvider();
    await visitor.button('Try again').click();
    await visitor.signIn('Patient');
  });

  it('the draft survives a reload during an outage of the provider', async () => {
    const visitor = await running.signedIn('Reloading');
    await visitor.fillNew('stones', 'Colour', 'Half a word');
    await site.stopProvider();
    await visitor.page.reload();
    await visitor.heading('The provider does not answer').waitFor();
    running.caused(`net::ERR_CONNECTION_REFUSED ${discovery}`);
    // A restarted provider has no sessions.
    await site.startProvider();
    await visitor.button('Try again').click();
    await visitor.sees('Please sign in again');
    await visitor.signIn('Reloading');
    await visitor.sees('What you typed is still here');
    assert.equal(await visitor.field('Colour').inputValue(), 'Half a word');
  });

  it('another person who signs in in the same tab does not see the draft', async () => {
    const visitor = await running.signedIn('Former');
    await visitor.fillNew('stones', 'Colour', 'My secret');
    await visitor.context.clearCookies();
    await visitor.page.reload();
    await visitor.sees('Please sign in again');
    await visitor.signIn('Latter');
    await visitor.heading('New stone').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), '');
    assert.equal(await visitor.page.getByText('What you typed is still here').count(), 0);
  });

  it('a caller without a subject reads that it has no id, and that nothing is stored', async () => {
    const visitor = await running.signedIn('Nobody');
    await visitor.page.route('**/api/consumer/v1/me', (route) => route.fulfill({ json: nobody }));
    await visitor.asDeveloper();
    await visitor.open('you');
    await visitor.page.reload();
    await visitor.page.locator('main dl').getByText('None', { exact: true }).waitFor();
    await visitor.open('token');
    await visitor.sees('It has no subject, so nothing is stored about you.');
  });
});
