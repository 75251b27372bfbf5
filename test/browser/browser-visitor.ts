import assert from 'node:assert/strict';
import type { BrowserContext, CDPSession, Locator, Page, Route } from 'playwright-core';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { password, personNamed } from './browser-person.ts';
import { type BrowserSite, minuteMs } from './browser-site.ts';
import { findingsOn } from './page-checks.ts';

export class Visitor {
  readonly site: BrowserSite;
  readonly context: BrowserContext;
  readonly page: Page;
  #bearer = '';
  #debugger: CDPSession | null = null;
  #hasClock = false;

  constructor(site: BrowserSite, context: BrowserContext, page: Page) {
    this.site = site;
    this.context = context;
    this.page = page;
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined && request.url().startsWith(site.origin)) {
        this.#bearer = authorization.slice(authorization.indexOf(' ') + 1);
      }
    });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name, exact: typeof name === 'string' });
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { name, exact: true });
  }

  /** The link to what is behind the name of the person. */
  get me(): Locator {
    return this.page.locator('a[href="#/you"]');
  }

  /** To the form for a new record of this screen. An empty list has it twice. */
  get newLink(): Locator {
    return this.link(/^New /).first();
  }

  /** Of the form on this screen. */
  get saveButton(): Locator {
    return this.button(/^Save\b/);
  }

  /** A record in a list, a table or an agenda. */
  row(name: string): Locator {
    return this.page.locator('li[data-at]').filter({ has: this.link(name) });
  }

  /** The link of a row or a card that opens the record. */
  title(name: string): Locator {
    return this.page.getByRole('listitem').getByRole('link', { name, exact: true });
  }

  /** All rows, from the top. */
  get titles(): Locator {
    return this.page.locator('li[data-at] .row-title');
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  field(label: string): Locator {
    return this.page.getByRole('textbox', { name: new RegExp(`^${label}( optional)?$`) });
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** What the page announces of something that was done. */
  async hears(text: string | RegExp): Promise<void> {
    await this.page.locator('.announcer').getByText(text).waitFor();
  }

  async hasFocus(target: Locator): Promise<void> {
    await target.and(this.page.locator(':focus')).waitFor();
  }

  /** No serious or critical finding of axe on the page as it is now. */
  async isAccessible(): Promise<void> {
    assert.deepEqual(await findingsOn(this.page), []);
  }

  async open(...parts: readonly string[]): Promise<void> {
    await this.page.goto(`${this.site.origin}/#/${parts.join('/')}`);
  }

  /** From the next load on the page takes the service for one under `vestibule dev`, which shows the access token. */
  async asDeveloper(): Promise<void> {
    await this.page.route('**/web/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), dev: true } });
    });
  }

  async signIn(name: string): Promise<void> {
    await this.button('Sign in').click();
    await this.logIn(name);
    await this.me.waitFor();
  }

  async signOut(): Promise<void> {
    await this.me.click();
    await this.button('Sign out').click();
    await this.heading('Sign out?').waitFor();
    await this.button('Sign out').click();
    await this.sees('You are signed out');
  }

  /** The provider answers that the user refused consent. */
  async signInInVain(): Promise<void> {
    const asked = ({ origin, pathname }: URL) => origin === this.site.providerOrigin && pathname === '/auth';
    await this.page.route(asked, (route) => {
      const { searchParams } = new URL(route.request().url());
      const state = String(searchParams.get('state'));
      const answer = { error: 'access_denied', state, iss: this.site.providerOrigin };
      const location = `${searchParams.get('redirect_uri')}?${new URLSearchParams(answer)}`;
      return route.fulfill({ status: 303, headers: { location } });
    });
    await this.button('Sign in').click();
    await this.page.getByRole('alert').getByText('You did not allow it').waitFor();
    await this.page.unroute(asked);
  }

  /** Waits until the first page after sign-in is complete. */
  async seesFirstPage(name: string): Promise<void> {
    // Without a refresh token the provider gives none for /userinfo either.
    await this.me.getByText(new RegExp(`^${personNamed(name).name}$|^You$`)).waitFor();
    await this.page.getByRole('navigation', { name: 'Collections' }).getByRole('link').first().waitFor();
    // `elsewhere` needs the token that the page sends with its first list.
    await until(() => this.#bearer !== '', true, 'the page sends no token');
  }

  async seesPicture(name: string): Promise<Locator> {
    const picture = this.me.filter({ hasText: personNamed(name).name }).locator('img');
    await picture.evaluate((image) => image.decode());
    return picture;
  }

  /** At the provider's page. */
  async logIn(name: string, word = password): Promise<void> {
    await this.page.getByLabel('User name').fill(personNamed(name).userName);
    await this.page.getByLabel('Password').fill(word);
    await this.button('Sign in').click();
  }

  /** Signs in, and stops at the answer of the provider: without its settings the page does not read it yet. */
  async answerOf(button: string, name: string): Promise<URL> {
    const settings = '**/web/config.json';
    await this.button(button).click();
    await this.page.getByLabel('Password').waitFor();
    await this.page.route(settings, (route) => route.abort('connectionrefused'));
    await this.logIn(name);
    await this.heading('The service does not answer').waitFor();
    await this.page.unroute(settings);
    return new URL(this.page.url());
  }

  /** Plugs the network in or out. A browser calls a machine offline that has nothing but loopback; this one is not. */
  async connect(isOnline: boolean): Promise<void> {
    this.#debugger ??= await this.context.newCDPSession(this.page);
    await this.#debugger.send('Network.emulateNetworkConditions', {
      offline: !isOnline,
      // With nothing at all to pretend, the browser would look at the machine again.
      latency: 1,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }

  async later(minutes: number): Promise<void> {
    if (!this.#hasClock) await this.page.clock.install();
    this.#hasClock = true;
    await this.page.clock.fastForward(minutes * minuteMs);
  }

  async fillNew(collection: string, label: string, text: string): Promise<void> {
    await this.open('data', collection, 'new');
    await this.field(label).fill(text);
  }

  async addOne(collection: string, label: string, text: string): Promise<void> {
    await this.fillNew(collection, label, text);
    await this.saveButton.click();
  }

  /** From the menu of a row or, with its title, of the record on this screen. */
  async choose(name: string, item: string | RegExp): Promise<void> {
    await this.button(`More for ${name}`).click();
    await this.page.getByRole('menuitem', { name: item }).click();
  }

  /** What the menu of a row, or of the record on this screen, offers. */
  async menuOf(name: string): Promise<readonly string[]> {
    await this.button(`More for ${name}`).click();
    const items = this.page.getByRole('menuitem');
    await items.first().waitFor();
    const labels = await items.evaluateAll((all) => all.map((item) => String(item.firstChild?.textContent)));
    await this.page.keyboard.press('Escape');
    return labels;
  }

  /** Opens the form for a record of this list. */
  async edit(name: string): Promise<void> {
    await this.choose(name, 'Edit');
  }

  async remove(name: string): Promise<void> {
    await this.choose(name, /^Delete/);
    await this.dialog.getByRole('button', { name: 'Delete' }).click();
  }

  /** Makes an invitation for a role in the record of this screen. Returns its link. */
  async invite(role: string): Promise<string> {
    await this.button('Invite…').click();
    await this.dialog.getByLabel('Role').selectOption({ label: role });
    await this.dialog.locator('[type=submit]').click();
    const link = await this.dialog.getByLabel('Link').inputValue();
    await this.dialog.getByRole('button', { name: 'Done' }).click();
    return link;
  }

  async join(link: string): Promise<void> {
    await this.page.goto(link);
    await this.button(/^Join as /).click();
  }

  async seesConnection(words: string): Promise<void> {
    await this.page.locator('.connection').getByText(words, { exact: true }).waitFor();
  }

  /**
   * Whatever happens elsewhere is told later, when the returned function is called. Where a stream is open, another list
   * has to be looked at first: only a page that has seen it has left the one before, and ended its stream.
   */
  async holdEvents(otherList?: string): Promise<() => Promise<void>> {
    const address = '**/api/consumer/v1/events*';
    const letThrough = await this.hold(address);
    if (otherList !== undefined) {
      const asked = this.page.waitForRequest(address);
      await this.open('data', otherList);
      await asked;
    }
    return letThrough;
  }

  /** Requests to an address wait until the returned function is called. */
  async hold(address: string): Promise<() => Promise<void>> {
    const held: Route[] = [];
    await this.page.route(address, (route) => void held.push(route));
    return async () => {
      await this.page.unroute(address);
      // The page may have given up on some of them.
      for (const route of held) await route.continue().catch(() => {});
    };
  }

  /** Another window of the same browser: the provider knows who it is. */
  async anotherWindow(): Promise<Visitor> {
    // Not a tab: Chromium draws a page behind another tab once a second, and a click waits for two frames.
    const opened = this.context.waitForEvent('page');
    await this.page.evaluate("void open('about:blank', '_blank', 'popup,noopener,width=1280,height=720')");
    const other = new Visitor(this.site, this.context, await opened);
    await other.connect(true);
    await other.page.goto(this.site.origin);
    await other.button('Sign in').click();
    await other.me.waitFor();
    return other;
  }

  /** Looks at the live list of a collection, until it is complete. */
  async watch(collection: string): Promise<void> {
    await this.open('data', collection);
    await this.seesConnection('Live');
    await this.page.locator('.rows, .board, .agenda, .empty').first().waitFor();
  }

  /** Records the notices of the page from now on. The returned function reads them. */
  async recordNotices(): Promise<() => Promise<unknown>> {
    await this.page.evaluate(`window.said = [];
      new MutationObserver(() => {
        const text = document.querySelector('.toast')?.innerText;
        if (text !== undefined && text !== said.at(-1)) said.push(text);
      }).observe(document.querySelector('.announcer'), { childList: true, characterData: true, subtree: true })`);
    return () => this.page.evaluate('said');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }

  /** The same person somewhere else, at the API, with the token that this page showed there last. */
  elsewhere(): ApiCaller {
    return new ApiCaller(this.site.origin, this.#bearer);
  }
}
