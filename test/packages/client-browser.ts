import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { ClientStage, type StageCommand } from './client-stage.ts';

/** The code in a page: the client, the cases, and the stage at the other end of `askStage`. */
const program = `
  import * as client from './packages/client/src/index.ts';
  import { cases } from './test/packages/client-cases/all.ts';
  const stage = new Proxy({}, {
    get: (_, command) => (...values) => askStage(command, values),
  });
  Object.assign(globalThis, {
    client,
    stage,
    runCase: (name) => cases[name]({ client, url: serviceUrl, stage, name: 'Chromium: ' + name }),
  });
`;

/** A real browser with tabs of a page that has the client in it. */
export class ClientBrowser {
  readonly stage: ClientStage;
  readonly #browser: Browser;
  readonly #context: BrowserContext;

  private constructor(stage: ClientStage, browser: Browser, context: BrowserContext) {
    this.stage = stage;
    this.#browser = browser;
    this.#context = context;
  }

  /** `more`: source of a module that runs in the pages, too. */
  static async start(more = ''): Promise<ClientBrowser> {
    const { outputFiles } = await build({
      stdin: { contents: `${program}${more}`, resolveDir: process.cwd(), loader: 'ts' },
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"development"' },
    });
    const browser = await connectChromium();
    const stage = await ClientStage.start();
    const context = await browser.newContext();
    await context.exposeFunction('askStage', (command: StageCommand, values: never[]) =>
      (stage[command] as (...given: never[]) => Promise<unknown>)(...values),
    );
    const text = outputFiles[0]?.text ?? '';
    await context.addInitScript({
      content: `globalThis.serviceUrl = ${JSON.stringify(stage.url)};\n${text}`,
    });
    return new ClientBrowser(stage, browser, context);
  }

  async tab(): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(this.stage.pageUrl);
    return page;
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.stage.stop();
  }
}
