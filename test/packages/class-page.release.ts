import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ownPages } from '../support/browser/own-page.ts';
import { serveFiles } from '../support/browser/static-files.ts';
import { AppFolder } from '../support/packages/app-folder.ts';
import { freePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const versions = (...names: readonly string[]) =>
  names.map((name) => `${name}@${devDependencies[name]}`).join(' ');

const app = new AppFolder({ settings: { OPS_PORT: '0' } });
after(async () => {
  await app.stop();
  // test/after searches what the run leaves; this folder is mostly third-party code.
  rmSync(app.path, { recursive: true, force: true });
});
const [port, providerPort, pagePort] = [await freePort(), await freePort(), await freePort()];
const origin = `http://localhost:${pagePort}`;
const { tarballs } = await part('packages');
cpSync(tarballs, app.path, { recursive: true });
for (const command of [
  'npm init --yes',
  `npm install ./vestibule-server-*.tgz ./vestibule-client-*.tgz ${versions('react', 'react-dom')}`,
  `npm install --save-dev vite@7.3.8 ${versions('typescript', '@types/react', '@types/react-dom')}`,
  'npx vestibule init',
  'cp -r node_modules/@vestibule/server/examples/class/. .',
  'npx vestibule types --out page/collections.d.ts',
])
  await app.run(command);
const addresses = {
  'http://localhost:5173': origin,
  'http://127.0.0.1:3000': `http://127.0.0.1:${providerPort}`,
  'http://127.0.0.1:8080': `http://127.0.0.1:${port}`,
};
for (const name of ['vestibule.env', 'page/addresses.js']) {
  const text = readFileSync(`${app.path}/${name}`, 'utf8');
  const replaced = Object.entries(addresses).reduce((all, [one, other]) => all.replaceAll(one, other), text);
  writeFileSync(`${app.path}/${name}`, replaced);
}
await app.run('npx tsc -p page');
await app.run('npx vite build');
const dev = `npx vestibule --settings vestibule.env dev --port ${port} --provider-port ${providerPort}`;
await app.runUntil(dev, /Stop with Ctrl-C/);
after(await serveFiles(`${app.path}/page/dist`, pagePort));
const pages = await ownPages();
after(pages.stop);
const teacher = await pages.page();
const student = await pages.page();

/** The page of examples/class, built and run in a folder that has the packages and nothing of this project. */
describe('the React page of examples/class', () => {
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function signIn(page: Page, person: string, address: string): Promise<void> {
    await page.goto(address);
    await button(page, 'Sign in').click();
    await button(page, person).click();
    await button(page, 'Sign out').waitFor();
  }

  it('the source has at most 200 lines', () => {
    assert.ok(readFileSync('examples/class/page/page.tsx', 'utf8').trimEnd().split('\n').length <= 200);
  });

  it("a teacher and a student see each other's changes live, from invitation to grade", async () => {
    await signIn(teacher, 'Ada Lovelace', origin);
    await teacher.getByLabel('Title of the class').fill('7b');
    await button(teacher, 'New class').click();
    await button(teacher, '7b').click();
    await button(teacher, 'Invite students').click();
    const link = await teacher.getByLabel('Link for students').inputValue();
    assert.ok(link.startsWith(`${origin}/#join=`), link);

    await signIn(student, 'Grace Hopper', link);
    assert.equal(student.url(), `${origin}/`, 'no code stays in the address');
    await button(student, 'Join the class').click();
    await student.getByRole('heading', { name: '7b' }).waitFor();
    assert.equal(await button(student, 'New assignment').count(), 0);

    // No page is reloaded from here on.
    await teacher.getByLabel('Title').fill('Photosynthesis');
    await teacher.getByLabel('Due').fill('2099-01-01T10:00');
    await button(teacher, 'New assignment').click();
    await teacher.locator('summary', { hasText: 'Photosynthesis' }).click();
    await button(teacher, 'open Photosynthesis').click();
    await student.locator('summary', { hasText: 'Photosynthesis' }).click();
    await student.getByLabel('Your text').fill('It takes light.');
    await button(student, 'Hand in').click();

    await teacher.getByText('It takes light.').waitFor();
    await teacher.getByLabel('Grade').fill('1');
    await teacher.getByLabel('Remark').fill('Well done');
    await button(teacher, 'Return').click();
    await student.getByText('Grade 1. Well done').waitFor();
    await teacher.getByText('Grade 1. Well done').waitFor();
    await button(teacher, 'close Photosynthesis').click();
    await student.getByText('(closed)').waitFor();
    assert.deepEqual(pages.errors, []);
  });

  it('the page needs no horizontal scrolling on a phone or a desktop', async () => {
    for (const width of [390, 1280]) {
      await teacher.setViewportSize({ width, height: 800 });
      const fits = await teacher.evaluate('document.documentElement.scrollWidth <= innerWidth');
      assert.equal(fits, true, `${width}`);
    }
  });

  it('a refused invitation is shown as an alert', async () => {
    const code = 'a'.repeat(22);
    await student.goto(`${origin}/#join=${code}`);
    await student.reload();
    await button(student, 'Join the class').click();
    await student.getByRole('alert').waitFor();
    assert.match(pages.errors.splice(0).join(), /404/);
  });
});
