import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { failed } from '../support/commands/outcome.ts';

const needs = (version: string) =>
  new RegExp(
    `Vestibule needs Node\\.js 24 or newer, and this is ${version}\\. .*: npm install --save-dev node@24\\. .*"npx vestibule"`,
  );

function run(program: string, parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** Older versions installed on this machine. */
const installed = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => `${folder}/node`)
  .filter((program) => existsSync(program))
  .map((program) => ({ program, version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim() }))
  .filter(({ version }) => Number.parseInt(version.slice(1), 10) < 24);

describe('an unsupported Node.js version', () => {
  for (const version of ['v18.20.8', 'v20.20.2', 'v22.21.0']) {
    it(`${version} (simulated) is refused with the required version`, () => {
      const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'${version}'})`;
      failed(run(process.execPath, ['--import', pretend, 'bin/vestibule.js', 'serve']), needs(version));
    });
  }

  for (const { program, version } of installed) {
    it(`${version} at ${program} is refused with the required version`, () => {
      failed(run(program, ['bin/vestibule.js', 'serve']), needs(version));
    });
  }

  it('the current version is accepted', () => {
    assert.equal(run(process.execPath, ['bin/vestibule.js', '--version']).code, 0);
  });
});

describe('the bundle in a clone', () => {
  const day = 86_400_000;
  let clone = '';
  before(() => {
    clone = mkdtempSync(join(tmpdir(), 'vestibule-bundle-'));
    for (const folder of ['bin', 'lib', 'src/http', 'node_modules'])
      mkdirSync(join(clone, folder), { recursive: true });
    copyFileSync('bin/vestibule.js', join(clone, 'bin/vestibule.js'));
    writeFileSync(join(clone, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{}');
    writeFileSync(join(clone, 'src/main.ts'), 'process.stdout.write("source");');
    writeFileSync(join(clone, 'lib/main.js'), 'process.stdout.write("bundle");');
  });
  after(() => rmSync(clone, { recursive: true }));
  /** Which program runs if the bundle is this much newer than the files. */
  const runs = (builtMs: number) => {
    const built = new Date(Date.now() + builtMs);
    utimesSync(join(clone, 'lib/main.js'), built, built);
    return run(process.execPath, [join(clone, 'bin/vestibule.js')]).stdout;
  };

  it('runs if no source file is newer', () => {
    assert.equal(runs(day), 'bundle');
  });

  it('does not run if a file has changed, even with an older modification time', () => {
    const old = new Date(Date.now() - 3 * day);
    utimesSync(join(clone, 'src/main.ts'), old, old);
    assert.equal(runs(-day), 'source');
  });

  it('runs in the package, which has no source', () => {
    rmSync(join(clone, 'src'), { recursive: true });
    assert.equal(runs(-day), 'bundle');
  });
});
