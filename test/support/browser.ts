import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { ApiCaller } from './api-caller.ts';
import { BrowserLog } from './browser-log.ts';
import { type BrowserPerson, password } from './browser-person.ts';
import { BrowserSite } from './browser-site.ts';
import { findProgram } from './programs.ts';

/** Long enough for a machine that does much else; nothing ever waits that long when it works. */
const patienceMs = 20_000;

/** A real browser with the frontend in it, and everything it sends under watch. */
export class Browsing {
  readonly site: BrowserSite;
  readonly log = new BrowserLog();
  readonly #browser: Browser;

  constructor(site: BrowserSite, browser: Browser) {
    this.site = site;
    this.#browser = browser;
  }

  static async start(): Promise<Browsing> {
    const executablePath = await findProgram('chromium');
    const site = await BrowserSite.start();
    try {
      // No name resolves: a page that asks for somebody outside is found out, and never gets there.
      const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
      return new Browsing(site, await chromium.launch({ executablePath, args }));
    } catch (error) {
      await site.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.site.stop();
  }

  /** A browser of its own, as far as cookies and storage go, at the frontend's first page. */
  async visitor(log = this.log): Promise<Visitor> {
    const context = await this.#browser.newContext({
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(patienceMs);
    await log.watch(context);
    const visitor = new Visitor(this.site, context, await context.newPage());
    await visitor.connect(true);
    await visitor.page.goto(this.site.origin);
    await visitor.button('Sign in').waitFor();
    return visitor;
  }
}

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

  /** How many more minutes than have passed are gone, by the clock of the page. */
  async later(minutes: number): Promise<void> {
    if (!this.#hasClock) await this.page.clock.install();
    this.#hasClock = true;
    await this.page.clock.fastForward(minutes * 60_000);
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

/** One browser and one site for all tests of a file. */
export function browsing(): () => Browsing {
  let running: Browsing | undefined;
  before(async () => {
    running = await Browsing.start();
  });
  after(() => running?.stop());
  return () => running as Browsing;
}

/** To be declared last: what must be true of everything that the tests of a file have made the browser do. */
export function describeNetworkLog(running: () => Browsing): void {
  describe('the network log of all of it', () => {
    it('is there: both the service and the provider were asked', () => {
      const { log, site } = running();
      assert.ok(log.countOf('GET', site.origin) > 5);
      assert.ok(log.countOf('POST', site.providerOrigin) > 1);
    });

    it('holds no name, picture or e-mail address in what went to the service', async () => {
      const { log, site } = running();
      assert.deepEqual(await log.tellTales(site.origin), []);
    });

    it('goes to no outside host', () => {
      const { log, site } = running();
      assert.deepEqual(log.outside(site), []);
    });

    it('has no violation of a Content-Security-Policy', () => {
      assert.deepEqual(running().log.violations, []);
    });

    it('has no error that a test did not cause on purpose', () => {
      assert.deepEqual(running().log.errors, []);
    });
  });
}
