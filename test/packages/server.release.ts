import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connectChromium } from '../support/browser/chromium.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { AppFolder } from '../support/packages/app-folder.ts';
import { freePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';
import { newSettings, type Settings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tarball = `vestibule-server-${version}.tgz`;

/** The command of docs/install.md. The test adds --ignore-scripts: no package may need its scripts. */
const documented = 'npm install --omit=optional ./vestibule-server-*.tgz';

// Outside of the project: npm installs into the nearest folder above that has a package.json.
const folder = mkdtempSync(join(tmpdir(), 'vestibule-package-'));
const app = new AppFolder({ path: folder });
const { tarballs } = await part('packages');
const { folder: oldestNode } = await part('oldestNode');
copyFileSync(`${tarballs}/${tarball}`, `${folder}/${tarball}`);
await app.run(`${documented} --ignore-scripts`);
const provider = await TestProvider.start();
const browser = await connectChromium();
after(async () => {
  await browser.close();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the package of the service, installed into an empty folder', () => {
  it('is installed with the command of docs/install.md', () => {
    assert.ok(readFileSync('docs/install.md', 'utf8').includes(`\n${documented}\n`));
  });

  it('contains the dependencies of the service, and no development provider', () => {
    const installed = readdirSync(`${folder}/node_modules`);
    assert.ok(installed.includes('commander') && !installed.includes('oidc-provider'), String(installed));
  });

  it('"dev" without its provider exits with the npm command that installs it', async () => {
    const { code, stderr } = await app.outcomeOf('npx vestibule dev');
    assert.equal(code, 1);
    assert.match(stderr, /^vestibule: .*provider is not installed.* npm install --include=optional\n$/m);
    await app.run('npm install --include=optional --ignore-scripts');
    assert.ok(existsSync(`${folder}/node_modules/oidc-provider`));
  });

  for (const line of ['24', '26']) {
    describe(`on Node.js ${line}`, () => {
      const app = new AppFolder({ path: folder, ...(line === '24' && { nodeFolder: oldestNode }) });
      before(async () => {
        assert.match(await app.run('node --version'), new RegExp(`^v${line}\\.`));
      });

      it('npx vestibule --help', async () => {
        assert.match(await app.run('npx vestibule --help'), /^Usage: vestibule /);
      });

      it('npx vestibule check', async () => {
        const settings = await settingsFor();
        assert.match(await app.run('npx vestibule check', settings), /^The settings are in order\.$/m);
        const { code, stderr } = await app.outcomeOf('npx vestibule check');
        assert.equal(code, 1);
        assert.match(stderr, /^vestibule: There are mistakes in the settings:$/m);
      });

      for (const processes of [1, 2])
        it(`npx vestibule serve --processes ${processes} writes to SQLite and serves the console`, async () => {
          const settings = await settingsFor();
          const command = `npx vestibule serve --processes ${processes}`;
          const service = await app.runUntil(command, /"msg":"listening"/, settings);
          const [, address = ''] = /"address":"([^"]+)"(?=.*"msg":"listening")/.exec(service.stdout) ?? [];
          const caller = new ApiCaller(address, await provider.token());
          const { record } = await caller.make('notes', { text: 'written by the thread' });
          const patched = await caller.send('PATCH', `/notes/${record.id}`, { done: true });
          assert.equal(patched.status, 200, patched.text);
          const flags = (await caller.all('notes')).map(({ done }) => done);
          assert.deepEqual(flags, [true]);
          const [, opsAddress = ''] = /"ops_address":"([^"]+)"/.exec(service.stdout) ?? [];
          const page = await browser.newPage();
          await page.goto(opsAddress);
          await page.getByText('Ready, and nothing needs attention').waitFor();
          await page.getByText(`${processes} of ${processes} serving`).waitFor();
          await page.getByText('VestibuleBug').first().waitFor({ state: 'attached' });
          await page.close();
          const { stdout, stderr } = await service.stop();
          assert.match(stdout, /"msg":"stopped"/);
          assert.equal(stderr, '');
        });

      it('npx vestibule dev lets a user sign in', async () => {
        const [port, providerPort] = [await freePort(), await freePort()];
        const command = `npx vestibule dev --port ${port} --provider-port ${providerPort}`;
        const service = await app.runUntil(command, /Stop with Ctrl-C/, { OPS_PORT: '0' });
        const page = await browser.newPage();
        await page.goto(`http://127.0.0.1:${port}/`);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByLabel('User name').fill('ada');
        await page.getByLabel('Password').fill('dev');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('navigation', { name: 'Collections' }).waitFor();
        await page.getByText('Ada Lovelace').first().waitFor();
        await page.close();
        assert.equal((await service.stop()).stderr, '');
      });
    });
  }

  it('npm install -g provides a working command', async () => {
    const everywhere = `${folder}/everywhere`;
    await app.run(`npm install -g --omit=optional --ignore-scripts --prefix ${everywhere} ./${tarball}`);
    assert.equal(await app.run(`${everywhere}/bin/vestibule --version`), `${version}\n`);
  });

  it('an outdated Node.js ends the start with one sentence', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;
    const { code, stdout, stderr } = await app.outcomeOf(
      `node --import "${pretend}" node_modules/@vestibule/server/bin/vestibule.js serve`,
    );
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(
      stderr,
      /^vestibule: Vestibule needs Node\.js 24 or newer, and this is v20\.20\.2\. [^\n]+\n$/,
    );
  });
});

/** With a database of its own, and the collections that the package brings. */
async function settingsFor(): Promise<Settings> {
  const COLLECTIONS_DIR = `${folder}/node_modules/@vestibule/server/collections`;
  return newSettings('sqlite', { ...provider.settings, COLLECTIONS_DIR, LOG_LEVEL: 'info' });
}
