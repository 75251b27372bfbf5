import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { connectChromium } from '../support/chromium.ts';
import { BrowserLog } from './browser-log.ts';
import { type BrowserSite, startBrowserSite } from './browser-site.ts';
import { Visitor } from './browser-visitor.ts';

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

  static async start(startSite: () => Promise<BrowserSite>): Promise<Browsing> {
    const site = await startSite();
    try {
      return new Browsing(site, await connectChromium());
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
    await visitor
      .button(/^Sign in/)
      .first()
      .waitFor();
    return visitor;
  }
}

/** One browser and one site for all tests of a file. */
export function browsing(startSite: () => Promise<BrowserSite> = startBrowserSite): () => Browsing {
  let running: Browsing | undefined;
  before(async () => {
    running = await Browsing.start(startSite);
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
