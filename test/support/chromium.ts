import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.ts';

/**
 * A real browser. No name resolves but those that are given: a page that asks for somebody outside is found out, and never
 * gets there.
 */
export async function launchChromium(...names: readonly string[]): Promise<Browser> {
  const rules = ['MAP * ~NOTFOUND', ...['127.0.0.1', ...names].map((name) => `EXCLUDE ${name}`)];
  return chromium.launch({
    executablePath: await findProgram('chromium'),
    args: ['--no-sandbox', `--host-resolver-rules=${rules.join(', ')}`],
  });
}
