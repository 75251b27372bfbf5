import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newDirectory } from '../support/commands/outcome.ts';

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
  it('every package has a SHA-512 integrity', () => {
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(Object.keys(packages).length > 50);
    const loose = Object.entries(packages).filter(
      ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    );
    assert.deepEqual(loose, []);
  });

  it('no package has a URL or a link, so all come from the configured registry', () => {
    const elsewhere = Object.entries(packages).filter(
      ([, { resolved, link }]) => resolved !== undefined || link === true,
    );
    assert.deepEqual(elsewhere, []);
  });

  it('the own command is linked', () => assert.deepEqual(command, { resolved: 'bin', link: true }));

  it('dependencies equal those of package.json', () => {
    assert.deepEqual(root?.dependencies, manifest.dependencies);
    assert.deepEqual(root?.optionalDependencies, manifest.optionalDependencies);
    assert.deepEqual(root?.devDependencies, manifest.devDependencies);
  });

  it('package.json names exact versions, which are the locked ones', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const { 'vestibule-command': own, ...others } = devDependencies;
    assert.equal(own, 'file:bin');
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies, ...others })) {
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
      assert.equal(packages[`node_modules/${name}`]?.version, version, name);
    }
  });

  it('npm ci on Node.js 20 prints no warning', async () => {
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

  it('the service has at most ten direct dependencies', () => {
    assert.ok(Object.keys(manifest.dependencies).length <= 10);
  });
});
