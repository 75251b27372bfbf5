import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { ownPages, signInAsAda } from '../support/browser/own-page.ts';
import { AppFolder } from '../support/packages/app-folder.ts';
import { freePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';

const text = readFileSync('docs/frontend.md', 'utf8');

/** The commands below a heading, in their order; what needs two lines of a shell is one. */
function commandsBelow(heading: string): string[] {
  const section = text.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].flatMap(([, block = '']) =>
    block.startsWith('TOKEN=') ? [block] : block.split('\n'),
  );
}

function fileNamed(name: string): string {
  const start = text.indexOf(`\n\`${name}\``, text.indexOf('## 3.'));
  assert.ok(start > 0, `${name} is not in docs/frontend.md`);
  const [, content] = /^```\w+\n([\s\S]*?)\n```$/m.exec(text.slice(start)) ?? [];
  return `${content}\n`;
}

const app = new AppFolder({ settings: { OPS_PORT: '0' } });
const [port, providerPort, pagePort] = [await freePort(), await freePort(), await freePort()];
const addresses = {
  'vestibule.env dev': `vestibule.env dev --port ${port} --provider-port ${providerPort}`,
  'npx vite': `npx vite --port ${pagePort} --strictPort`,
  'npx vite build': 'npx vite build',
  'http://127.0.0.1:3000': `http://127.0.0.1:${providerPort}`,
  'http://127.0.0.1:8080': `http://127.0.0.1:${port}`,
  'http://localhost:5173': `http://localhost:${pagePort}`,
};
const pages = await ownPages();
const page = await pages.page();
const { tarballs } = await part('packages');
cpSync(tarballs, app.path, { recursive: true });

describe('the steps of docs/frontend.md', () => {
  const ran: string[] = [];

  const atFreePorts = (content: string) =>
    Object.entries(addresses).reduce((result, [one, other]) => result.replaceAll(one, other), content);
  const edit = (name: string, change: (content: string) => string) =>
    writeFileSync(`${app.path}/${name}`, change(readFileSync(`${app.path}/${name}`, 'utf8')));
  const follow = async (heading: string) => {
    const outputs = [];
    for (const command of commandsBelow(heading)) {
      ran.push(command);
      outputs.push(await app.run(atFreePorts(command)));
    }
    return outputs.join('\n');
  };
  const notes = () => page.getByRole('listitem');

  after(async () => {
    await pages.stop();
    await app.stop();
    // test/after searches what the run leaves; this folder is mostly third-party code.
    rmSync(app.path, { recursive: true, force: true });
  });

  it('1. init writes the listed files into an empty folder', async () => {
    assert.match(await follow('1.'), /npx vestibule --settings vestibule\.env dev\n {2}npx vite\n/);
    const table = text.match(/^\| `.*? \|/gm) ?? [];
    const named = table.flatMap((row) => row.match(/[\w./-]+\.\w+/g) ?? []);
    assert.equal(named.length, 7);
    for (const name of named) assert.ok(existsSync(`${app.path}/${name}`), name);
    for (const name of ['vestibule.env', 'page/addresses.js']) edit(name, atFreePorts);
  });

  it('2. the page runs, serves no secret, and a user signs in and writes a note', async () => {
    const [dev = '', vite = ''] = commandsBelow('2.');
    ran.push(dev, vite);
    await app.runUntil(atFreePorts(dev), /Stop with Ctrl-C/);
    await app.runUntil(atFreePorts(vite), /Local/);
    const [, address = ''] = /Open <(http:[^>]+)>/.exec(text) ?? [];
    await page.goto(atFreePorts(address));
    await signInAsAda(page);
    await page.getByLabel('New note').fill('the first');
    await page.getByRole('button', { name: 'Add' }).click();
    await notes().getByText('the first').waitFor();
    for (const name of ['data/dev.db.secret', 'data/dev.json', 'vestibule.env']) {
      const secret = readFileSync(`${app.path}/${name}`, 'utf8');
      for (const path of [
        `/${name}`,
        `/../${name}`,
        `/@fs${app.path}/${name}`,
        `/@fs${app.path}/${name}?raw`,
      ]) {
        const answer = await fetch(new URL(path, atFreePorts(address)));
        assert.ok(!(await answer.text()).includes(secret.trim().slice(0, 40)), `${path}: ${answer.status}`);
      }
    }
    assert.match(await app.run('npx vestibule doctor'), /No check failed/);
    ran.push('npx vestibule doctor');
  });

  it('3. the types reject a wrong field, and the page can be built', async () => {
    const [types = '', ...rest] = commandsBelow('3.');
    await app.run(types);
    for (const name of ['tsconfig.json', 'page/notes.ts', 'page/page.js'])
      writeFileSync(`${app.path}/${name}`, atFreePorts(fileNamed(name)));
    for (const command of rest) await app.run(command);
    ran.push(types, ...rest);
    assert.ok(existsSync(`${app.path}/page/dist/index.html`));
    const wrong = fileNamed('page/notes.ts').replace('notes.create({ text })', 'notes.create({ txt: text })');
    writeFileSync(`${app.path}/page/wrong.ts`, wrong);
    writeFileSync(`${app.path}/wrong.json`, '{ "extends": "./tsconfig.json", "include": ["page/wrong.ts"] }');
    await assert.rejects(app.run('npx tsc -p wrong.json'), /'txt' does not exist/);
  });

  it('4. notes written by a shell or in another tab appear live', async () => {
    // Vite has reloaded the page.
    await page.getByLabel('the first').waitFor();
    await follow('4.');
    await notes().getByText('from a shell').waitFor();

    const tab = await page.context().newPage();
    await tab.goto(page.url());
    // Each tab signs in for itself; the provider still has the session.
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('listitem').getByText('from a shell').waitFor();
    await page.getByLabel('New note').fill('for both');
    await page.getByRole('button', { name: 'Add' }).click();
    await tab.getByRole('listitem').getByText('for both').waitFor();
    await tab.getByLabel('for both').check();
    await page.locator('li:has-text("for both") input:checked').waitFor();
    await tab.close();
  });

  it('5. a changed declaration is served, with new types', async () => {
    const [, added = ''] = /^```yaml\n([\s\S]*?)\n```$/m.exec(text.slice(text.indexOf('## 5.'))) ?? [];
    edit('collections/notes.yaml', (content) => content.replace(/ {2}properties:\n/, `$&${added}\n`));
    assert.doesNotMatch(readFileSync(`${app.path}/page/collections.d.ts`, 'utf8'), /\bdue\?: string/);
    await follow('5.');
    assert.match(readFileSync(`${app.path}/page/collections.d.ts`, 'utf8'), /\bdue\?: string/);
    await app.run('npx tsc');
    const [shell = ''] = commandsBelow('4.');
    const dated = atFreePorts(shell).replace('"from a shell"', '"dated","due":"2026-12-24"');
    const deadline = performance.now() + 20_000;
    while (!(await app.run(dated)).includes('"due":"2026-12-24"')) assert.ok(performance.now() < deadline);
    await notes().getByText('dated').waitFor();
  });

  it('6. React shows the list', async () => {
    const [install = '', types = ''] = commandsBelow('6.');
    for (const command of [install, types]) await app.run(command);
    // The others are run by test/packages/class-page.release.ts.
    ran.push(...commandsBelow('6.'));
    writeFileSync(`${app.path}/page/list.tsx`, fileNamed('page/list.tsx'));
    const [, line = ''] = /^```ts\n( {2}showList.*)\n```$/m.exec(text) ?? [];
    edit('page/notes.ts', (content) =>
      content.replace(/^ {2}for await .*$/m, line).replace(/^/, "import { showList } from './list';\n"),
    );
    await app.run('npx tsc');
    await app.run('npx vite build');
    await page.reload();
    await page.getByRole('checkbox', { name: 'for both' }).click();
    await page.locator('li:has-text("for both") input:not(:checked):enabled').waitFor();
    await app.run(atFreePorts(commandsBelow('4.')[0] ?? '').replace('from a shell', 'for React'));
    await notes().getByText('for React').waitFor();
  });

  it('every printed command was run', () => {
    const printed = ['1.', '2.', '3.', '4.', '5.', '6.', '7.'].flatMap(commandsBelow);
    assert.deepEqual(ran.filter((one) => printed.includes(one)).toSorted(), printed.toSorted());
  });
});
