import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { BrowserLog } from './browser-log.ts';
import { type BrowserSite, startBrowserSite } from './browser-site.ts';
import { Visitor } from './browser-visitor.ts';

/** A timeout for busy machines. No passing test waits that long. */
const patienceMs = 20_000;

/** A browser with the frontend, and a log of its requests and errors. */
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

  /** A new browser context (own cookies and storage) on the first page of the frontend. */
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

/** Declare this last: it checks the requests and errors of all tests of a file. */
export function describeNetworkLog(running: () => Browsing): void {
  describe('the network log of all tests in this file', () => {
    it('has requests to the service and to the provider', () => {
      const { log, site } = running();
      assert.ok(log.countOf('GET', site.origin) > 5);
      assert.ok(log.countOf('POST', site.providerOrigin) > 1);
    });

    it('has no name, picture or e-mail address in requests to the service', async () => {
      const { log, site } = running();
      assert.deepEqual(await log.tellTales(site.origin), []);
    });

    it('has no request to another host', () => {
      const { log, site } = running();
      assert.deepEqual(log.outside(site), []);
    });

    it('has no violation of the Content-Security-Policy', () => {
      assert.deepEqual(running().log.violations, []);
    });

    it('has no error except those that tests caused on purpose', () => {
      assert.deepEqual(running().log.errors, []);
    });
  });
}
