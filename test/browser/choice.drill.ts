import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startDevProvider } from '../../src/cli/dev/provider.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { browsing } from './browser.ts';
import { BrowserSite, siteSettings } from './browser-site.ts';
import type { Visitor } from './browser-visitor.ts';

/** The entries of the file in their order. The third has no sign-in at the frontend. */
const titles = { first: 'Harbour School', second: 'City Library' } as const;

/** The same frontend with a choice: two real providers, each with a client of its own for it. */
async function startTwoProviderSite(): Promise<BrowserSite> {
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  const file = `${surroundings().runDirectory}/providers-${randomUUID()}.yaml`;
  const settings = await siteSettings({ IDPS_FILE: file });
  const homes = [`${settings.BASE_URL}/`];
  const second = await startDevProvider({
    port: secondPort,
    audience: surroundings().audience,
    webClient: { id: 'reader', redirectUris: homes, postLogoutRedirectUris: homes },
  });
  const site = new BrowserSite(settings, firstPort, second);
  writeFileSync(
    file,
    `- { name: school, title: ${titles.first}, origin: "${site.providerOrigin}", jwks_path: /jwks, web_client_id: web }
- { name: library, title: ${titles.second}, origin: "${second.origin}", jwks_path: /jwks, web_client_id: reader }
- { name: programs, origin: "https://programs.example.org" }
`,
  );
  await site.startProvider();
  await site.startService();
  return site;
}

const atFirst = `Sign in with ${titles.first}`;
const atSecond = `Sign in with ${titles.second}`;
const settings = '**/web/config.json';
const noSettings = 'net::ERR_CONNECTION_REFUSED /web/config.json';
const discovery = '/.well-known/openid-configuration';

const running = await browsing({}, startTwoProviderSite);
const { log, site } = running;

describe('sign-in with a choice of two providers', () => {
  async function signIn(visitor: Visitor, button: string, person: string): Promise<void> {
    await visitor.button(button).click();
    await visitor.logIn(person);
    await visitor.seesPicture(person);
  }

  const pseudonym = async (visitor: Visitor) => {
    await visitor.open('you');
    return visitor.page.getByText(/^usr_/).innerText();
  };
  const originOf = (visitor: Visitor) => new URL(visitor.page.url()).origin;

  it('there is one button for each provider with web sign-in, with its host', async () => {
    const visitor = await running.visitor();
    const buttons = await visitor.button(/^Sign in/).allInnerTexts();
    assert.deepEqual(buttons, [atFirst, atSecond]);
    for (const origin of [site.providerOrigin, site.secondOrigin]) await visitor.sees(new URL(origin).host);
    await visitor.isAccessible();
  });

  it('the content policy allows connections to these two providers only', async () => {
    const { origin, providerOrigin, secondOrigin } = site;
    const policy = (await fetch(origin)).headers.get('content-security-policy') ?? '';
    const directives = policy.split('; ');
    assert.ok(directives.includes(`connect-src 'self' ${providerOrigin} ${secondOrigin}`), policy);
    const pictures = directives.find((directive) => directive.startsWith('img-src ')) ?? '';
    assert.ok(pictures.startsWith(`img-src 'self' ${providerOrigin} ${secondOrigin}`), policy);
  });

  it('the chosen provider handles sign-in, reload, renewal and sign-out', async () => {
    const visitor = await running.visitor();
    const person = 'Choosing';
    const askedFirst = log.countOf('GET', site.providerOrigin);
    await visitor.asDeveloper();
    await visitor.button(atSecond).click();
    await visitor.page.getByLabel('Password').waitFor();
    assert.equal(originOf(visitor), site.secondOrigin);
    await visitor.logIn(person);
    await visitor.seesPicture(person);
    const before = await pseudonym(visitor);
    await visitor.sees(new RegExp(new URL(site.secondOrigin).host));

    await visitor.page.reload();
    await visitor.seesPicture(person);
    assert.equal(await pseudonym(visitor), before);

    await visitor.open('token');
    await visitor.sees('Accepted');
    await visitor.page.getByText(`From ${titles.second}, at ${new URL(site.secondOrigin).host}.`).waitFor();
    await visitor.button('Renew it now').click();
    await visitor.sees('A new token is here.');
    await visitor.isAccessible();

    await visitor.open('you');
    await visitor.button('Sign out').click();
    await visitor.heading('Sign out?').waitFor();
    assert.equal(originOf(visitor), site.secondOrigin);
    await visitor.button('Sign out').click();
    await visitor.sees('You are signed out');
    assert.equal(await visitor.page.evaluate('sessionStorage.length'), 0);
    assert.equal(log.countOf('GET', site.providerOrigin), askedFirst, 'the other was not asked for anything');
  });

  it("the same subject at the other provider is another caller, without the first one's draft", async () => {
    const visitor = await running.visitor();
    const person = 'Twofold';
    await signIn(visitor, atFirst, person);
    const first = await pseudonym(visitor);
    await visitor.fillNew('stones', 'Colour', 'My secret');
    await visitor.context.clearCookies();
    await visitor.page.reload();
    await visitor.sees('Please sign in again');
    await visitor.button(atSecond).click();
    await visitor.logIn(person);
    await visitor.heading('New stone').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), '');
    assert.notEqual(await pseudonym(visitor), first);
  });

  async function isRefused(visitor: Visitor, answer: URL, sentence: string): Promise<void> {
    const redeemed = () => log.countOf('POST', site.providerOrigin) + log.countOf('POST', site.secondOrigin);
    const before = redeemed();
    await visitor.page.goto(answer.href);
    await visitor.page.getByRole('alert').getByText(sentence).waitFor();
    assert.equal(redeemed(), before, 'the code was shown to nobody');
    assert.equal(new URL(visitor.page.url()).search, '');
    await visitor.button(atFirst).waitFor();
    await visitor.isAccessible();
    running.caused(noSettings);
  }

  it('an answer with the issuer of the other provider is refused', async () => {
    const visitor = await running.visitor();
    const answer = await visitor.answerOf(atFirst, 'Mixed');
    assert.equal(answer.searchParams.get('iss'), site.providerOrigin, 'it says whose it is');
    answer.searchParams.set('iss', site.secondOrigin);
    await isRefused(visitor, answer, 'The answer is from another provider than the one that you chose.');
  });

  it('an answer without an issuer is refused if the provider always sends one', async () => {
    const visitor = await running.visitor();
    const answer = await visitor.answerOf(atFirst, 'Nameless');
    answer.searchParams.delete('iss');
    await isRefused(visitor, answer, 'The answer of the provider cannot be used.');
  });

  it('an answer is refused after sign-in was started with the other provider', async () => {
    const visitor = await running.visitor();
    const answer = await visitor.answerOf(atFirst, 'Wavering');
    await visitor.page.goto(site.origin);
    await visitor.button(atSecond).click();
    await visitor.page.getByLabel('Password').waitFor();
    await isRefused(visitor, answer, 'The answer belongs to another sign-in. Sign in again in this tab.');
  });

  it('a sign-in at a provider that is no longer offered is refused', async () => {
    const visitor = await running.visitor();
    const answer = await visitor.answerOf(atSecond, 'Late');
    await visitor.page.route(settings, async (route) => {
      const response = await route.fetch();
      const { providers, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, providers: providers.slice(0, 1) } });
    });
    await visitor.page.goto(answer.href);
    await visitor.sees('The provider of this sign-in is no longer offered. Choose another one.');
    running.caused(noSettings);
    // The page is as it always was where there is one.
    await visitor.button('Sign in').waitFor();
    assert.equal(await visitor.button(/^Sign in/).count(), 1);
  });

  it('an outage of one provider leaves the other usable, also for its signed-in users', async () => {
    const visitor = await running.visitor();
    await signIn(visitor, atFirst, 'Stranded');
    await site.stopProvider();
    await visitor.page.reload();
    await visitor.heading('The provider does not answer').waitFor();
    await visitor.sees(new URL(site.providerOrigin).host);
    await visitor.isAccessible();
    running.caused(`net::ERR_CONNECTION_REFUSED ${discovery}`);
    await visitor.button('Use another provider').click();
    await signIn(visitor, atSecond, 'Rescued');
    await site.startProvider();
  });
});
