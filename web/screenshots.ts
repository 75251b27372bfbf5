import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { address, fillCollections, type Shown, writeCollections } from './screenshot-data.ts';

/**
 * `npm run screenshots`: starts `vestibule dev`, creates a few records, and takes a screenshot of every page at two widths
 * and in two colour schemes, and in German at one width. It writes to docs/screenshots or to the folder of the first argument.
 * At the end a window shows a live approval of a booking, and the erasure of all data.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(root, 'docs/screenshots');
const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  readonly locale: string;
}

const desk: Look = { width: 1280, scheme: 'light', locale: 'en-GB' };
const looks: readonly Look[] = [
  desk,
  { ...desk, scheme: 'dark' },
  { ...desk, width: 390 },
  { ...desk, width: 390, scheme: 'dark' },
  { ...desk, locale: 'de-DE' },
];

type Take = (name: string) => Promise<unknown>;

const folder = mkdtempSync(join(tmpdir(), 'vestibule-screenshots-'));
writeCollections(root, folder);
const { service, welcome } = await startDevelopment(folder);
try {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  mkdirSync(target, { recursive: true });
  const shown = await fillCollections(root, folder);
  for (const look of looks) await takeTour(browser, look, shown);
  for (const look of looks) await takeReference(browser, look);
  await takeLive(browser);
  await takeReceipt(browser);
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

interface Development {
  readonly service: ChildProcess;
  /** The text that it prints at its start. */
  readonly welcome: string;
}

function startDevelopment(cwd: string): Promise<Development> {
  const { promise, resolve, reject } = Promise.withResolvers<Development>();
  const child = spawn(process.execPath, [join(root, 'bin/vestibule.js'), 'dev'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
    if (printed.includes('Stop with Ctrl-C.')) resolve({ service: child, welcome: printed });
  });
  child.on('close', () => reject(new Error('vestibule dev did not start.')));
  return promise;
}

async function openPage(browser: Browser, { width, scheme, locale }: Look): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: width < 900 ? 844 : 900 },
    colorScheme: scheme,
    locale,
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  // Chromium reports a machine with only loopback as offline, so emulate an online network.
  const network = await context.newCDPSession(page);
  const unbounded = { latency: 1, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { offline: false, ...unbounded });
  await page.goto(address);
  await page.locator('main button').first().waitFor();
  return page;
}

async function signIn(page: Page, take?: Take): Promise<void> {
  await page.locator('main button').first().click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
  await take?.('provider-login');
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.locator('.rail .me img').waitFor();
}

/** Goes to a page, and waits for what is drawn last of it. No words are named, because they differ by language. */
async function open(page: Page, path: string, last: string): Promise<void> {
  await page.goto(`${address}#/${path}`);
  await page.locator(last).first().waitFor();
  await page.locator('.connection:not(.live, .off)').first().waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
}

/** Every page once. */
async function takeTour(browser: Browser, look: Look, shown: Shown): Promise<void> {
  const page = await openPage(browser, look);
  const suffix = look.locale.startsWith('en') ? look.scheme : look.locale.slice(0, 2);
  const take = (name: string) =>
    page.screenshot({ path: join(target, `${name}-${look.width}-${suffix}.png`) });
  await take('welcome');
  await signIn(page, take);
  await page.locator('.row').first().waitFor();
  await take('first');
  for (const [name, path, last] of [
    ['list', 'data/notes', '.row'],
    ['table', 'data/boats', '.row[data-at]'],
    ['board', `data/teams/${shown.team}/open?view=board`, '.board-card'],
    ['agenda', 'data/meetups?view=agenda', '.agenda [data-at]'],
    ['record', `data/classes/${shown.class}/open`, '.people li'],
    ['children', `data/assignments/${shown.assignment}/open`, '.children .row'],
    ['places', `data/meetups/${shown.meetup}/open`, '.children .row'],
    ['members', `data/classes/${shown.class}/members`, '.people li'],
    ['form', 'data/bookings/new', 'form input'],
    ['account', 'you', '[role=meter], meter, .meter'],
    ['token', 'token', 'dl dd'],
  ] as const) {
    await open(page, path, last);
    await take(name);
  }
  await takeStates(page, take);
  await takeDialogs(page, take, shown);
  await takeInvitation(page, take, await shown.inviteAda());
  await page.context().close();
}

/** A form with errors, a list without a record, a search without a result, and a service that does not answer. */
async function takeStates(page: Page, take: Take): Promise<void> {
  await open(page, 'data/bookings/new', 'form input');
  await page.locator('form button.primary').click();
  await page.locator('form [aria-invalid=true]').first().waitFor();
  await take('form-errors');
  await open(page, 'data/items', '.empty');
  await take('empty');
  await open(page, 'data/issues?view=list', '.row');
  const api = '**/api/consumer/v1/boats*';
  await page.route(api, (route) => route.abort());
  await open(page, 'data/boats', '[role=alert]');
  await take('error');
  await page.unroute(api);
}

/** A menu, and what asks before something ends or begins. */
async function takeDialogs(page: Page, take: Take, shown: Shown): Promise<void> {
  await open(page, `data/lists/${shown.list}/open?view=list`, '.children .row');
  await page.locator('.children .row [aria-haspopup]').first().click();
  await take('menu');
  await page.locator('[role=menuitem].bad').click();
  await page.locator('dialog button').first().waitFor();
  await take('delete');
  await page.keyboard.press('Escape');
  await open(page, `data/lists/${shown.list}/members`, '.people li');
  await page.locator('.bar button.primary').click();
  await page.locator('dialog form').waitFor();
  await take('invite');
  await page.keyboard.press('Escape');
}

/** What an invitation leads to, and the record after it. */
async function takeInvitation(page: Page, take: Take, code: string): Promise<void> {
  await open(page, `invitation/${code}`, '#offer');
  await take('invitation');
  await page.locator('main button.primary').click();
  await page.locator('.record').waitFor();
  await take('joined');
}

async function takeReference(browser: Browser, look: Look): Promise<void> {
  if (look.locale !== desk.locale) return;
  const page = await openPage(browser, look);
  await page.goto(`${address}docs`);
  await page.locator('article').first().waitFor();
  await page.screenshot({ path: join(target, `docs-${look.width}-${look.scheme}.png`) });
  await page.context().close();
}

/** A list at the moment when a machine client has approved a booking. */
async function takeLive(browser: Browser): Promise<void> {
  const page = await openPage(browser, desk);
  await signIn(page);
  await open(page, 'data/bookings', '.row');
  await page.getByText('Live', { exact: true }).waitFor();
  await approveOne();
  await page.locator('.toast').waitFor();
  await page.setViewportSize({ width: 1280, height: 640 });
  await page.screenshot({ path: join(target, 'live-1280-light.png') });
  await page.context().close();
}

/** Approves a booking as the machine client of `vestibule dev`. */
async function approveOne(): Promise<void> {
  const credentials = /\{"client_id":.*?\}/.exec(welcome)?.[0] ?? '';
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${address}token`, { method: 'POST', headers, body: credentials });
  const { token } = (await reply.json()) as { token: string };
  const api = `${address}api/consumer/v1`;
  const authorization = `Bearer ${token}`;
  const list = await fetch(`${api}/bookings?state=submitted`, { headers: { authorization } });
  const { items } = (await list.json()) as { items: readonly { id: string }[] };
  await fetch(`${api}/bookings/${items[0]?.id}/approve`, { method: 'POST', headers: { authorization } });
}

/** Erases everything. */
async function takeReceipt(browser: Browser): Promise<void> {
  const page = await openPage(browser, desk);
  await signIn(page);
  await open(page, 'you', '.card');
  await page.getByRole('button', { name: 'Erase everything…' }).click();
  await page.getByRole('textbox').fill('erase everything');
  await page.screenshot({ path: join(target, 'erase-1280-light.png') });
  await page.getByRole('dialog').getByRole('button', { name: 'Erase everything' }).click();
  await page.locator('main h1:focus').waitFor();
  await page.screenshot({ path: join(target, 'receipt-1280-light.png') });
  await page.context().close();
}
