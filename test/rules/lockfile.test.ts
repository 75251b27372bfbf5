import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newDirectory } from '../support/outcome.ts';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  lockfileVersion: number;
  packages: Record<string, Locked>;
};
// Our own command is a package of this folder, so that npm links it.
const { '': root, bin: _, 'node_modules/vestibule-command': command, ...packages } = lock.packages;

describe('the lock file', () => {
  it('pins every package by the SHA-512 of its content', () => {
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(Object.keys(packages).length > 50);
    const loose = Object.entries(packages).filter(
      ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    );
    assert.deepEqual(loose, []);
  });

  it('takes packages from the registry only, whichever one is set', () => {
    const elsewhere = Object.entries(packages).filter(
      ([, { resolved, link }]) => resolved !== undefined || link === true,
    );
    assert.deepEqual(elsewhere, []);
  });

  it('links our own command', () => assert.deepEqual(command, { resolved: 'bin', link: true }));

  it('belongs to package.json', () => {
    assert.deepEqual(root?.dependencies, manifest.dependencies);
    assert.deepEqual(root?.optionalDependencies, manifest.optionalDependencies);
    assert.deepEqual(root?.devDependencies, manifest.devDependencies);
  });

  it('holds exactly the versions that package.json names, and those are exact', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const { 'vestibule-command': own, ...others } = devDependencies;
    assert.equal(own, 'file:bin');
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies, ...others })) {
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
      assert.equal(packages[`node_modules/${name}`]?.version, version, name);
    }
  });

  it('is installed on Node.js 20 without a warning', async () => {
    const folder = newDirectory();
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'bin'])
      cpSync(file, `${folder}/${file}`, { recursive: true });
    const pretend = "data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})";
    // Nothing of the npm that runs the tests.
    const env = {
      HOME: folder,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      NODE_OPTIONS: `--import ${pretend}`,
    };
    const parameters = ['ci', '--dry-run', '--offline', '--ignore-scripts'];
    const { stdout, stderr } = await promisify(execFile)('npm', parameters, { cwd: folder, env });
    assert.match(stdout, /^added \d+ packages/m);
    assert.equal(stderr, '');
  });

  it('has at most ten packages that the service itself asks for', () => {
    assert.ok(Object.keys(manifest.dependencies).length <= 10);
  });
});
