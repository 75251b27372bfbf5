import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { newDirectory } from '../support/commands/outcome.ts';
import { listen } from '../support/http/document-server.ts';
import { copyForPacking } from '../support/packages/packages.ts';

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = ['client', 'server', 'verify'].map((name) => `dist/vestibule-${name}-${version}.tgz`);

/** The part of a registry that `npm audit` asks. It has no advisory but those that a test adds. */
class AuditRegistry {
  asked: Record<string, readonly string[]> = {};
  advisories: Record<string, readonly object[]> = {};
  answersAudits = true;
  readonly #server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.method !== 'POST' || !this.answersAudits) return response.writeHead(405).end();
    this.asked = JSON.parse(gunzipSync(body).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.advisories));
  });

  async start(): Promise<string> {
    return `${await listen(this.#server)}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('npm run release', () => {
  const folder = newDirectory();
  const registry = new AuditRegistry();
  const environment: Record<string, string | undefined> = { ...process.env };
  let output = '';

  const ended = (program: string, parameters: readonly string[], more = {}) =>
    run(program, parameters, { cwd: folder, env: { ...environment, ...more } }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  const release = (parameters: readonly string[], more = {}) =>
    ended(process.execPath, ['packages/release.ts', ...parameters], more);
  const auditing = "import('./packages/release/dependencies.ts').then((one) => one.audit())";
  const audit = () => ended(process.execPath, ['-e', auditing]);

  before(async () => {
    copyForPacking(folder);
    environment.npm_config_registry = await registry.start();
    // Of the machine that runs the tests, which may be the release workflow.
    for (const name of ['GITHUB_REPOSITORY', 'GITHUB_REF']) delete environment[name];
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    await run('git', ['init', '--quiet'], { cwd: folder });
    await run('git', ['add', '--all'], { cwd: folder });
    await run('git', [...author, 'commit', '--quiet', '--message', 'Clone'], { cwd: folder });
    output = (await ended('npm', ['run', 'release', '--', '--dry-run'])).stdout;
  });
  after(() => registry.stop());

  it('makes three packages, names size and files, and finds nothing wrong in them', () => {
    for (const name of names) {
      const lines = output.split('\n').filter((line) => line.startsWith(`${name}  `));
      assert.match(String(lines[0]), /\d+ kB {2}\d+ files$/);
      assert.match(String(lines[1]), /no finding of publint and attw$/);
    }
    const others = ['SHA256SUMS', `vestibule-server-${version}.cdx.json`].map((name) => `dist/${name}`);
    assert.deepEqual(globSync('dist/*', { cwd: folder }).sort(), [...others, ...names].sort());
  });

  it('the packages are published with provenance', async () => {
    for (const name of names) {
      const { stdout } = await run('tar', ['xzOf', `${folder}/${name}`, 'package/package.json']);
      assert.deepEqual(JSON.parse(stdout).publishConfig, { access: 'public', provenance: true });
    }
  });

  it('the checksums are those of the files', async () => {
    const { stdout } = await run('sha256sum', ['--check', '--ignore-missing', 'SHA256SUMS'], {
      cwd: `${folder}/dist`,
    });
    assert.equal(stdout.match(/: OK$/gm)?.length, names.length + 1);
  });

  it('the SBOM and the audit have every production dependency, and no development dependency', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    );
    const { bomFormat, components } = JSON.parse(
      readFileSync(`${folder}/dist/vestibule-server-${version}.cdx.json`, 'utf8'),
    );
    assert.equal(bomFormat, 'CycloneDX');
    const listed = components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`);
    const asked = Object.entries(registry.asked).flatMap(([name, all]) => all.map((one) => `${name}@${one}`));
    assert.deepEqual(listed.sort(), asked.sort());
    for (const [name, exact] of Object.entries({ ...dependencies, ...optionalDependencies }))
      assert.ok(listed.includes(`${name}@${exact}`), name);
    assert.ok(!listed.includes(`typescript@${devDependencies.typescript}`));
    assert.match(output, /^MIT: .*\bpg@/m);
  });

  it('fails if the audit finds something, or if the registry does not answer audits', async () => {
    registry.advisories = {
      pg: [
        { id: 1, title: 'Test', severity: 'high', vulnerable_versions: '*', url: 'https://example.org/1' },
      ],
    };
    const found = await audit();
    assert.notEqual(found.code, 0);
    assert.match(found.stderr, /npm audit found pg[,.]/);
    registry.answersAudits = false;
    const unanswered = await audit();
    assert.notEqual(unanswered.code, 0);
    assert.match(unanswered.stderr, /npm audit did not run: 405/);
  });

  it('--notes prints the section of the change log with absolute links', async () => {
    const { stdout } = await release(['--notes']);
    assert.ok(stdout.length > 100);
    assert.doesNotMatch(stdout, /^## /m);
    assert.doesNotMatch(stdout, /\]\((?!https:)/);
  });

  it('publishes only from the workflow of its repository and the tag of its version', async () => {
    const own = { GITHUB_REPOSITORY: 'vestibule/vestibule' };
    for (const [more, says] of [
      [{}, /This is no repository, but package\.json names/],
      [{ GITHUB_REPOSITORY: 'someone/vestibule' }, /This is someone\/vestibule, but/],
      [{ ...own, GITHUB_REF: 'refs/tags/v0.0.1' }, /This is refs\/tags\/v0\.0\.1, but/],
    ] as const) {
      const { code, stdout, stderr } = await release([], more);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, says);
    }
  });

  it('publishes each tarball, and none if one was changed', async () => {
    const programs = `${folder}/data/bin`;
    mkdirSync(programs, { recursive: true });
    writeFileSync(`${programs}/npm`, '#!/bin/sh\ntest "$1" = view || echo "$@"\n');
    chmodSync(`${programs}/npm`, 0o755);
    const workflow = {
      PATH: `${programs}:${environment.PATH}`,
      GITHUB_REPOSITORY: 'vestibule/vestibule',
      GITHUB_REF: `refs/tags/v${version}`,
    };
    const { stdout } = await release([], workflow);
    assert.equal(stdout, names.map((name) => `publish ./${name}\n`).join(''));
    writeFileSync(`${folder}/${names[0]}`, 'another');
    const { code, stdout: nothing, stderr } = await release([], workflow);
    assert.deepEqual({ code, nothing }, { code: 1, nothing: '' });
    assert.match(stderr, /dist has other files than dist\/SHA256SUMS lists/);
  });

  it('refuses versions that differ, and files that are not committed', async () => {
    writeFileSync(`${folder}/left.txt`, '');
    const unclean = await release(['--dry-run']);
    assert.match(unclean.stderr, /not committed[\s\S]*left\.txt/);
    rmSync(`${folder}/left.txt`);
    const file = `${folder}/packages/client/package.json`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(version, '9.9.9'));
    const differing = await release(['--dry-run']);
    assert.match(differing.stderr, /packages\/client\/package\.json has 9\.9\.9/);
    for (const { code } of [unclean, differing]) assert.equal(code, 1);
  });
});
