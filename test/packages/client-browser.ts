import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { connectChromium } from '../support/browser/chromium.ts';
import { startClientStage } from './client-stage.ts';

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

/** A real browser with tabs of a page that has the client in it. `more`: source of a module that runs in the pages, too. */
export async function startClientBrowser(more = '') {
  const { outputFiles } = await build({
    stdin: { contents: `${program}${more}`, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const browser = await connectChromium();
  const stage = await startClientStage();
  const context = await browser.newContext();
  await context.exposeFunction('askStage', stage.ask);
  await context.addInitScript({
    content: `globalThis.serviceUrl = ${JSON.stringify(stage.url)};\n${outputFiles[0]?.text}`,
  });
  return {
    stage,
    async tab(): Promise<Page> {
      const page = await context.newPage();
      await page.goto(stage.pageUrl);
      return page;
    },
    async stop() {
      await browser.close();
      await stage.stop();
    },
  };
}
