import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { ownPages, signInAsAda } from '../support/browser/own-page.ts';
import { serveFiles } from '../support/browser/static-files.ts';
import { endOf, newDirectory, succeeded } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { callAs, startDevelopment } from '../support/services/development.ts';
import { fits } from './page-checks.ts';

const folder = newDirectory();
succeeded(await endOf({}, ['init'], folder));
const port = await freePort();
const origin = `http://localhost:${port}`;
replaceIn({ 'http://localhost:5173': origin });
const dev = await startDevelopment(folder, { OPS_PORT: '0' }, ['--settings', 'vestibule.env']);
replaceIn({
  'http://127.0.0.1:3000': `http://127.0.0.1:${dev.providerPort}`,
  'http://127.0.0.1:8080': `http://127.0.0.1:${dev.port}`,
});
const stopServing = await serveFiles(`${folder}/page`, port);
const pages = await ownPages();
const page = await pages.page();
after(async () => {
  await pages.stop();
  await stopServing();
  await dev.stop();
});

function replaceIn(replacements: Readonly<Record<string, string>>): void {
  for (const name of globSync(['page/*.js', '*.env'], { cwd: folder })) {
    let text = readFileSync(`${folder}/${name}`, 'utf8');
    for (const [one, other] of Object.entries(replacements)) text = text.replaceAll(one, other);
    writeFileSync(`${folder}/${name}`, text);
  }
}

/** What `vestibule init` writes, as plain files at an origin of their own, with ports that are free. */
describe('the page that vestibule init writes', () => {
  const notes = () => page.getByRole('listitem').allTextContents();

  it('signs in at the development provider, from its own origin', async () => {
    await page.goto(origin);
    await signInAsAda(page);
    assert.equal(page.url(), `${origin}/`, 'no code stays in the address');
    assert.deepEqual(await notes(), []);
  });

  it('adds and lists notes', async () => {
    await page.getByLabel('New note').fill('buy <b>milk</b>');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').getByText('buy <b>milk</b>').waitFor();
    const { body } = await callAs(dev, 'ada', '/notes');
    const texts = (body.items as { text: string }[]).map(({ text }) => text);
    assert.deepEqual(texts, ['buy <b>milk</b>']);
  });

  it('stores no token where other scripts can read it', async () => {
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    assert.equal(kept, '[{},{"signed-in":"yes"},""]');
  });

  it('is still signed in after a reload', async () => {
    await page.reload();
    await page.getByRole('listitem').getByText('buy <b>milk</b>').waitFor();
    assert.equal(page.url(), `${origin}/`);
  });

  it('shows why the service refused a note', async () => {
    await page.getByLabel('New note').evaluate((input) => input.removeAttribute('required'));
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('status').getByText('schema').waitFor();
    assert.match(pages.errors.splice(0).join(), /422/);
  });

  it('suggests CORS_ORIGINS when there is no answer', async () => {
    await page.route('**/notes', (route) => route.abort());
    await page.getByLabel('New note').fill('cake');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('status').getByText(`${origin} in CORS_ORIGINS?`).waitFor();
    await page.unroute('**/notes');
    assert.match(pages.errors.splice(0).join(), /ERR_FAILED/);
  });

  it('keeps working after the collection has changed', async () => {
    const file = `${folder}/collections/notes.yaml`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('minLength: 1', 'minLength: 3'));
    await until(dev.printed, (text) => text.includes('are served: notes.'), 'the change is not served');
    await page.getByLabel('New note').fill('tea');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').getByText('tea').waitFor();
  });

  it('refuses an authorization answer that this tab did not request', async () => {
    const other = await pages.page();
    await other.goto(`${origin}/?code=stolen&state=guessed`);
    await other.getByText('This sign-in was not begun in this tab.').waitFor();
    assert.equal(other.url(), `${origin}/`);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('needs no horizontal scrolling on a phone or a desktop', async () => {
    for (const width of [390, 1280]) await fits(page, width);
  });

  it('signs out here and at the provider', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The page has a button of the same name and stays until the provider redirects.
    await page.waitForURL(`http://127.0.0.1:${dev.providerPort}/**`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).origin, origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
  });

  it('causes no other error', () => assert.deepEqual(pages.errors, []));
});
