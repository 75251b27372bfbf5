import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../run/programs.ts';
import { part } from '../run/surroundings.ts';

/** Playwright turns these off. Chromium takes only the last list that it is given, so this one repeats them. */
const playwrightDisables = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
/** Pages below the address bar. They take more than a second of a core for each window. */
const popups = ['WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

/** Only the given names resolve: a request of the page to another host fails and is noticed. */
async function launchOptions(names: readonly string[] = []) {
  const rules = ['MAP * ~NOTFOUND', ...['127.0.0.1', ...names].map((name) => `EXCLUDE ${name}`)];
  return {
    executablePath: await findProgram('chromium'),
    args: [
      '--no-sandbox',
      `--host-resolver-rules=${rules.join(', ')}`,
      `--disable-features=${[...playwrightDisables, ...popups].join()}`,
    ],
  };
}

/** The Chromium of the run, which all test files share. Each has contexts of its own, which end with `close`. */
export async function connectChromium(): Promise<Browser> {
  const { url } = await part('chromium');
  return chromium.connect(url);
}

/** A Chromium of a test's own, in which further names resolve. */
export async function launchChromium(...names: readonly string[]): Promise<Browser> {
  return chromium.launch(await launchOptions(names));
}

export async function startChromium(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({ ...(await launchOptions()), host: '127.0.0.1' });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
