import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../run/programs.ts';
import { part } from '../run/surroundings.ts';

/** Playwright turns these off. Chromium takes only the last list that it is given, so this one repeats them. */
const playwrightDisables = [
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  'ThirdPartyStoragePartitioning',
];
/** Pages below the address bar. They take more than a second of a core for each window. */
const popups = ['WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

/** The Chromium of the run, which all test files share. Each has contexts of its own, which end with `close`. */
export async function connectChromium(): Promise<Browser> {
  const { url } = await part('chromium');
  return chromium.connect(url);
}

export async function startChromium(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({
    executablePath: await findProgram('chromium'),
    args: [
      '--no-sandbox',
      // A request of a page to any other host fails and is noticed.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      `--disable-features=${[...playwrightDisables, ...popups].join()}`,
    ],
    host: '127.0.0.1',
  });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
