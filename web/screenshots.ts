import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { address, fillCollections, fillFamilies, shareWithBob } from './screenshot-data.ts';

/**
 * `npm run screenshots`: starts `vestibule dev`, creates a few records, and takes a screenshot of every screen at two widths
 * and in two colour schemes. It writes to docs/screenshots or to the folder of the first argument. At the end all windows
 * show a live approval of a booking, and the erasure of all data.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(root, 'docs/screenshots');
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
// A collection that everybody can read. Records of the included collections are private.
writeFileSync(
  join(folder, 'collections/notices.yaml'),
  `title: Notices
description: What hangs in the hall for everybody to see.
schema:
  required: [text]
  properties: { text: { type: string, minLength: 1, maxLength: 120 } }
states:
  pinned: { mark: marked, take_down: taken_down }
  marked: { unmark: pinned, take_down: taken_down }
  taken_down: {}
access: { read: everyone }
`,
);
// A collection that people share by invitation.
writeFileSync(
  join(folder, 'collections/lists.yaml'),
  `title: Lists
description: Shopping lists for a household.
schema:
  required: [title]
  properties: { title: { type: string, minLength: 1, maxLength: 60 } }
roles:
  member: { invited_by: [owner, member], max: 12 }
  guest: { invited_by: owner, max: 12 }
  owner: { invited_by: owner, previous_owner: member }
access: { read: [owner, member, guest], update: [owner, member], delete: owner }
aliases: true
`,
);
// Collections with parents.
for (const example of ['class', 'meetup', 'feedback'])
  cpSync(join(root, 'examples', example, 'collections'), join(folder, 'collections'), { recursive: true });
const { service, welcome } = await startDevelopment(folder);
try {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const first = await openSignedIn(browser, widths[0] ?? 390, 'light');
  await fillCollections(first);
  const bob = await openPage(browser, widths[0] ?? 390, 'light');
  await shareWithBob(first, bob);
  await bob.context().close();
  const families = await fillFamilies(root, folder);
  await first.context().close();
  for (const width of widths) {
    for (const scheme of schemes) await takeTour(browser, width, scheme, families);
  }
  await takeLive(browser);
  for (const width of widths) for (const scheme of schemes) await takeReceipt(browser, width, scheme);
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
  // Chromium reports a machine with only loopback as offline, so emulate an online network.
  const network = await context.newCDPSession(page);
  const unbounded = { latency: 1, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { offline: false, ...unbounded });
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  return page;
}

async function signIn(page: Page, take?: Take): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
  await take?.('provider-login');
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
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

/** Records, with the records under them. */
async function takeFamilies(page: Page, take: Take, families: readonly string[]): Promise<void> {
  for (const name of families) {
    await page.goto(`${address}#/data/${name}/open`);
    await page.locator('.children .record').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await take(`open-${name.split('/')[0]}`);
  }
}

/** A search with results, one without, a selection, and a refused batch. */
async function takeLists(page: Page, take: Take): Promise<void> {
  const box = page.getByRole('searchbox');
  const bar = page.getByRole('region', { name: 'Selected records' });
  await page.goto(`${address}#/data/issues`);
  await page.getByText('3 records').waitFor();
  await box.fill('slow');
  await page.getByText('2 records found').waitFor();
  await take('search');
  await box.fill('slowly');
  await page.getByText('Nothing found for').waitFor();
  await take('search-empty');
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByText('3 records').waitFor();
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByLabel('Select Slow search').check();
  await page.getByLabel('Select Dark mode').check();
  await take('selection', false);
  await page.goto(`${address}#/data/classes`);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await bar.getByRole('button', { name: 'Select all' }).click();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nothing has changed').waitFor();
  await take('batch-refused', false);
  await page.getByRole('button', { name: 'Cancel' }).last().click();
}

/** The history of a hand-in, as the teacher sees it. */
async function takeHistory(page: Page, take: Take, families: readonly string[]): Promise<void> {
  await page.goto(`${address}#/data/${families[1]}/open`);
  await page.getByRole('link', { name: /^History of They eat light/ }).click();
  await page.getByText('“Return”').waitFor();
  await take('history');
}

/** Every screen once, for one person. */
async function takeTour(
  browser: Browser,
  width: number,
  scheme: (typeof schemes)[number],
  families: readonly string[],
): Promise<void> {
  const page = await openPage(browser, width, scheme);
  // A dialog is in the middle of the window, so its screenshot shows only the window.
  const take = (name: string, fullPage = true) =>
    page.screenshot({ path: join(target, `${name}-${width}-${scheme}.png`), fullPage });
  await take('welcome');
  await signIn(page, take);
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
  await page.getByText('2 fields are not valid').waitFor();
  await take('form');
  await page.goto(`${address}#/token`);
  await page.getByText('Accepted').waitFor();
  await take('token');
  await takeBound(page, take);
  await takeLong(page, take);
  await takeShared(page, take);
  await takePeople(page, take);
  await takeFamilies(page, take, families);
  await takeLists(page, take);
  await takeHistory(page, take, families);
  await takeUnavailable(page, take);
  await takeReference(page, take);
  await page.context().close();
}

type Take = (name: string, fullPage?: boolean) => Promise<unknown>;

/** The screen of a token that is bound to a key, as with `dev --dpop`. */
async function takeBound(page: Page, take: Take): Promise<void> {
  const settings = '**/web/config.json';
  await page.route(settings, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), dpop: true } });
  });
  await page.reload();
  await page.getByText('A copy of it does not work').waitFor();
  await page.locator('.top-person img').waitFor();
  await page.getByText('Accepted').waitFor();
  await take('token-bound');
  await page.unroute(settings);
}

/** A note that is longer than its card, folded and unfolded, and the dialog before a record is deleted. */
async function takeLong(page: Page, take: Take): Promise<void> {
  await page.goto(`${address}#/data/notes`);
  await page.getByRole('button', { name: 'Show all' }).waitFor();
  await page.getByText('1 of 500').waitFor();
  await take('long-note');
  await page.getByRole('button', { name: 'Show all' }).click();
  await take('long-note-unfolded');
  await page.goto(`${address}#/data/bookings`);
  await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
  await take('delete', false);
  await page.getByRole('button', { name: 'Keep it' }).click();
}

/** A collection that everybody can read, and the dialog before a final action. */
async function takeShared(page: Page, take: Take): Promise<void> {
  await page.goto(`${address}#/data/notices/new`);
  await page.getByText('Everybody can read this').waitFor();
  await take('form-shared');
  await page.goto(`${address}#/data/notices`);
  await page.getByText('2 of', { exact: false }).first().waitFor();
  await take('collection-shared');
  await page
    .getByRole('button', { name: /^Take down/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
  await take('final-action', false);
  await page.getByRole('button', { name: 'Leave it as it is' }).click();
  await page.goto(`${address}#/everybodys/notices`);
  await page.locator('.record').first().waitFor();
  await take('everybodys');
}

/** A lent item, a shared list, and an invitation. */
async function takePeople(page: Page, take: Take): Promise<void> {
  await page.goto(`${address}#/data/items`);
  await page.getByRole('button', { name: /^Lend/ }).waitFor();
  await take('lending');
  await page.getByRole('button', { name: /^Lend/ }).click();
  await page.getByRole('dialog').waitFor();
  await take('action-input', false);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.goto(`${address}#/data/lists`);
  await page.getByRole('button', { name: /^Invite/ }).click();
  await page.getByRole('button', { name: 'Make a link' }).waitFor();
  await take('invite', false);
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByLabel('Link').waitFor();
  await take('invitation-link', false);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: /^Members/ }).click();
  await page.getByText('Member since').waitFor();
  await take('members');
  await page.goto(`${address}#/invitation/0123456789abcdefghijkl`);
  await page.getByRole('button', { name: 'Accept' }).waitFor();
  await take('accept');
}

/** The screens while the service, or a part of it, does not answer. */
async function takeUnavailable(page: Page, take: Take): Promise<void> {
  await page.route('**/me/usage', (route) => route.abort());
  await page.goto(`${address}#/data`);
  await page.getByText('No answer from the service').waitFor();
  await take('data-unavailable');
  await page.route('**/web/config.json', (route) => route.abort());
  await page.reload();
  await page.getByText('The service does not answer').waitFor();
  await take('down');
  await page.unroute('**/web/config.json');
}

async function takeReference(page: Page, take: Take): Promise<void> {
  await page.goto(`${address}docs`);
  await take('docs');
  await page
    .locator('section', { has: page.locator('#about-items') })
    .getByText('Who may do what')
    .click();
  await page.locator('.matrix').filter({ visible: true }).scrollIntoViewIfNeeded();
  await take('docs-matrix', false);
  await page.goto(`${address}docs#bookings_do_submit`);
  const submit = page.locator('article', { has: page.locator('#bookings_do_submit') });
  await submit.getByText('Try it').click();
  await submit.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Enter a value for id.').waitFor();
  await take('docs-unfolded');
}

/** Erases everything. Only the first call finds many records. */
async function takeReceipt(browser: Browser, width: number, scheme: (typeof schemes)[number]): Promise<void> {
  const page = await openSignedIn(browser, width, scheme);
  await page.goto(`${address}#/data`);
  await page.getByRole('button', { name: 'Erase everything…' }).click();
  await page.getByRole('textbox').fill('erase everything');
  await page.screenshot({ path: join(target, `erase-${width}-${scheme}.png`) });
  await page.getByRole('dialog').getByRole('button', { name: 'Erase everything' }).click();
  await page.getByText('Your data is erased').waitFor();
  await page.screenshot({ path: join(target, `receipt-${width}-${scheme}.png`), fullPage: true });
  await page.context().close();
}

/** All windows at once, after a machine client has approved a booking. */
async function takeLive(browser: Browser): Promise<void> {
  const windows = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })));
  const pages: Page[] = [];
  for (const { width, scheme } of windows) {
    const page = await openSignedIn(browser, width, scheme);
    pages.push(page);
    await page.goto(`${address}#/data/bookings`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('3 of 50').waitFor();
  }
  await approveOne();
  const take = async (page: Page, { width, scheme }: (typeof windows)[number]) => {
    await page.getByText(/^Bookings: .* is approved now\.$/).waitFor();
    await page.screenshot({ path: join(target, `live-${width}-${scheme}.png`), fullPage: true });
  };
  await Promise.all(windows.map((window, index) => take(pages[index] as Page, window)));
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
