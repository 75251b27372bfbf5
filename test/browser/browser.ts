import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import type { Settings } from '../support/services/service.ts';
import { BrowserLog, watchedContext } from './browser-log.ts';
import { type BrowserSite, startBrowserSite } from './browser-site.ts';
import { Visitor } from './browser-visitor.ts';

class Browsing {
  readonly site: BrowserSite;
  readonly log = new BrowserLog();
  readonly #browser: Browser;

  constructor(site: BrowserSite, browser: Browser) {
    this.site = site;
    this.#browser = browser;
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.site.stop();
  }

  /** A new browser context (own cookies and storage) on the first page of the frontend. */
  async visitor(log = this.log): Promise<Visitor> {
    const context = await watchedContext(this.#browser, log);
    const visitor = new Visitor(this.site, context, await context.newPage());
    await visitor.connect(true);
    await visitor.page.goto(this.site.origin);
    await visitor
      .button(/^Sign in/)
      .first()
      .waitFor();
    return visitor;
  }

  async signedIn(name: string): Promise<Visitor> {
    const visitor = await this.visitor();
    await visitor.signIn(name);
    await visitor.seesFirstPage(name);
    return visitor;
  }

  /** The test caused these errors, sorted, and no others since the last time. */
  caused(...errors: readonly string[]): void {
    assert.deepEqual(this.log.takeErrors(), errors);
  }

  async checkLog(): Promise<void> {
    const { log, site } = this;
    assert.ok(log.countOf('GET', site.origin) > 0, 'The log has no request to the service.');
    assert.deepEqual(await log.tellTales(site.origin), [], 'personal data was sent to the service');
    log.isClean(site.origins);
  }
}

/** One browser and one site for all tests of a file. At its end, the log is checked. */
export async function browsing(further: Settings = {}, startSite = startBrowserSite): Promise<Browsing> {
  const site = await startSite(further);
  const running = new Browsing(site, await connectChromium());
  after(() => running.checkLog().finally(() => running.stop()));
  return running;
}
