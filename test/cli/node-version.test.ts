import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { failed } from '../support/outcome.ts';

const needs = (version: string) =>
  new RegExp(
    `Vestibule needs Node\\.js 24 or newer, and this is ${version}\\. .*: npm install --save-dev node@24\\. .*"npx vestibule"`,
  );

function run(program: string, parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** Other versions that this machine happens to have. */
const installed = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => `${folder}/node`)
  .filter((program) => existsSync(program))
  .map((program) => ({ program, version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim() }))
  .filter(({ version }) => Number.parseInt(version.slice(1), 10) < 24);

describe('a Node.js that is too old', () => {
  for (const version of ['v18.20.8', 'v20.20.2', 'v22.21.0']) {
    it(`says so as ${version}`, () => {
      const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'${version}'})`;
      failed(run(process.execPath, ['--import', pretend, 'bin/vestibule.js', 'serve']), needs(version));
    });
  }

  for (const { program, version } of installed) {
    it(`says so where it is real, as ${version} at ${program}`, () => {
      failed(run(program, ['bin/vestibule.js', 'serve']), needs(version));
    });
  }

  it('is not this one', () => {
    assert.equal(run(process.execPath, ['bin/vestibule.js', '--version']).code, 0);
  });
});
