import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * `npm run screenshots`: starts `vestibule dev`, puts a few records in, and takes a picture of every screen on a phone
 * and on a desk, by day and by night, into docs/screenshots.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/screenshots');
const address = 'http://127.0.0.1:8080/';
const widths = [390, 1280];
const schemes = ['light', 'dark'] as const;
const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const folder = mkdtempSync(join(tmpdir(), 'vestibule-screenshots-'));
cpSync(join(root, 'collections'), join(folder, 'collections'), { recursive: true });
const service = await startDevelopment(folder);
try {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const first = await openSignedIn(browser, widths[0] ?? 390, 'light');
  await fillShelves(first);
  await first.context().close();
  for (const width of widths) {
    for (const scheme of schemes) await takeTour(browser, width, scheme);
  }
  await browser.close();
} finally {
  service.kill('SIGINT');
  await new Promise((resolve) => service.on('close', resolve));
  rmSync(folder, { recursive: true, force: true });
}

function findBrowser(): string {
  const found = browsers.find((path) => existsSync(path));
  if (found === undefined)
    throw new Error('No Chromium found. Install it, for example: apt install chromium');
  return found;
}

function startDevelopment(cwd: string): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  const child = spawn(process.execPath, [join(root, 'bin/vestibule.js'), 'dev'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (text) => String(text).includes('Stop with Ctrl-C.') && resolve(child));
  child.on('close', () => reject(new Error('vestibule dev did not start.')));
  return promise;
}

async function openPage(
  browser: Browser,
  width: number,
  colorScheme: (typeof schemes)[number],
): Promise<Page> {
  const height = width < 600 ? 844 : 800;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  return page;
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('usr_').waitFor();
  await page.getByRole('img', { name: 'Picture of Ada Lovelace' }).waitFor();
}

async function openSignedIn(
  browser: Browser,
  width: number,
  scheme: (typeof schemes)[number],
): Promise<Page> {
  const page = await openPage(browser, width, scheme);
  await signIn(page);
  return page;
}

async function fillShelves(page: Page): Promise<void> {
  for (const [slot, seats, note] of [
    ['2027-01-09T20:00', '6', 'A long table, if there is one.'],
    ['2026-12-31T18:30', '2', ''],
    ['2026-12-24T18:30', '4', 'By the window, please.'],
  ]) {
    await page.goto(`${address}#/data/bookings/new`);
    await page.getByLabel('Slot').fill(slot ?? '');
    await page.getByLabel('Seats').fill(seats ?? '');
    await page.getByLabel('Note').fill(note ?? '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Bookings' }).waitFor();
  }
  await page
    .getByRole('button', { name: /^Submit/ })
    .last()
    .click();
  await page.locator('.state', { hasText: 'Submitted' }).waitFor();
}

/** Every screen once, as one and the same person sees it. */
async function takeTour(browser: Browser, width: number, scheme: (typeof schemes)[number]): Promise<void> {
  const page = await openPage(browser, width, scheme);
  const take = (name: string) =>
    page.screenshot({ path: join(target, `${name}-${width}-${scheme}.png`), fullPage: true });
  await take('welcome');
  await signIn(page);
  await take('you');
  await page.goto(`${address}#/data`);
  await page.getByText('3 of 50').waitFor();
  await take('data');
  await page.goto(`${address}#/data/bookings`);
  await page.getByText('By the window, please.').waitFor();
  await page.getByText('3 of 50').waitFor();
  await take('collection');
  await page.goto(`${address}#/data/bookings/new`);
  await page.getByLabel('Seats').fill('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('2 fields do not fit').waitFor();
  await take('form');
  await page.goto(`${address}#/token`);
  await page.getByText('Accepted').waitFor();
  await take('token');
  await page.context().close();
}
