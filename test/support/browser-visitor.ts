import type { BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { ApiCaller } from './api-caller.ts';
import { type BrowserPerson, password } from './browser-person.ts';
import { type BrowserSite, minuteMs } from './browser-site.ts';

/** Somebody in front of the browser. */
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
        this.#bearer = authorization.slice('Bearer '.length);
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

  /** A field of a form, by its label. */
  field(label: string): Locator {
    return this.page.getByRole('textbox', { name: new RegExp(`^${label}( optional)?$`) });
  }

  /** Waits until it is to be seen. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  async open(...parts: readonly string[]): Promise<void> {
    await this.page.goto(`${this.site.origin}/#/${parts.join('/')}`);
  }

  async signIn(person: BrowserPerson): Promise<void> {
    await this.button('Sign in').click();
    await this.logIn(person);
    await this.button('Allow').click();
    await this.button('Sign out').waitFor();
  }

  /** The picture of a person, once it is there. */
  async seesPicture({ name }: BrowserPerson): Promise<Locator> {
    const picture = this.page.getByRole('img', { name: `Picture of ${name}` });
    await picture.evaluate((image) => image.decode());
    return picture;
  }

  /** At the provider's page. */
  async logIn({ userName }: BrowserPerson, word = password): Promise<void> {
    await this.page.getByLabel('User name').fill(userName);
    await this.page.getByLabel('Password').fill(word);
    await this.button('Sign in').click();
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

  /** So many minutes pass for the page. */
  async later(minutes: number): Promise<void> {
    if (!this.#hasClock) await this.page.clock.install();
    this.#hasClock = true;
    await this.page.clock.fastForward(minutes * minuteMs);
  }

  /** Fills in the only field of a collection that has one, and saves it. */
  async addOne(collection: string, label: string, text: string): Promise<void> {
    await this.open('data', collection, 'new');
    await this.field(label).fill(text);
    await this.button('Save').click();
  }

  /** The same person somewhere else, at the API, with the token that this page showed there last. */
  elsewhere(): ApiCaller {
    return new ApiCaller(this.site.origin, this.#bearer);
  }
}
