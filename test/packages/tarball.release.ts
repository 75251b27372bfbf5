import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { packedCommit } from '../support/packages/packages.ts';
import { part } from '../support/run/surroundings.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What is made while packing, and what git ignores. */
const made = /^(\.git|node_modules|dist|lib|web\/dist|packages\/[^/]+\/lib)(\/|$)/;

const { project, tarballs } = await part('packages');
const tarball = `${tarballs}/vestibule-server-${version}.tgz`;
const filesIn = (archive: string) =>
  execFileSync('tar', ['tzf', archive], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
const files = filesIn(tarball);

describe('npm run pack', () => {
  it('writes one tarball for each package and no other file', () => {
    const names = globSync(['package.json', 'packages/*/package.json']).map((file) =>
      JSON.parse(readFileSync(file, 'utf8')).name.replace('@', '').replace('/', '-'),
    );
    const expected = names.map((name) => `${name}-${version}.tgz`);
    assert.deepEqual(globSync('*', { cwd: `${project}/dist` }).sort(), expected.sort());
  });

  it('changes no file of the project', () => {
    const all = globSync('**/*', { cwd: project, withFileTypes: true, exclude: ['node_modules'] })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(project.length + 1))
      .filter((file) => !made.test(file));
    assert.ok(all.length > 400, `${all.length} files`);
    const changed = all.filter(
      (file) => !existsSync(file) || !readFileSync(file).equals(readFileSync(`${project}/${file}`)),
    );
    assert.deepEqual(changed, []);
  });

  it('the service tarball has what it needs to run, operator documents, and nothing else', () => {
    const beside = files.filter((file) => !/^lib\/|\/LICENSE\./.test(file)).sort();
    const documents = globSync([
      'docs/*.md',
      'docs/collection.schema.json',
      'starter/{*.*,*/*}',
      'docs/proxies/*',
      'examples/README.md',
      'examples/*/README.md',
      'examples/*/{collections,page}/*',
      'web/provider/*',
      'web/reference/*',
      'deploy/{grafana,kubernetes,prometheus,systemd}/*',
    ]);
    const pages = globSync('web/dist/{*.*,console/*}', { cwd: project, exclude: ['**/LICENSE.*'] });
    const single = [
      ...['bookings', 'items', 'notes'].map((name) => `collections/${name}.yaml`),
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
      ...['bin/vestibule.js', 'deploy/docker/health.js'],
    ];
    const whole = pages.filter((file) => !file.includes('/part-'));
    assert.equal(whole.length, 8, String(whole));
    assert.deepEqual(beside, [...documents, ...pages, ...single].sort());
  });

  it('the service tarball has a bundle and third-party licences, but no source and no source map', () => {
    const bundled = files.filter((file) => file.startsWith('lib/')).sort();
    const scripts = bundled.filter((file) => file.endsWith('.js'));
    const licences = bundled.filter((file) => file.startsWith('lib/LICENSE.'));
    assert.deepEqual(bundled, [...scripts, ...licences].sort());
    // The bundle names the file of each part in a comment.
    const inlined = scripts.flatMap((file) =>
      [...readFileSync(`${project}/${file}`, 'utf8').matchAll(/^\/\/ .*\bnode_modules\/([^/\n]+)\//gm)].map(
        ([, name]) => `lib/LICENSE.${name}`,
      ),
    );
    assert.ok(inlined.includes('lib/LICENSE.kysely'));
    assert.deepEqual(licences, [...new Set(inlined)].sort());
  });

  it('the pages have the licences of their packages, and every bundled package is in the SBOM and the audit', () => {
    const licences = files.filter((file) => file.includes('/LICENSE.'));
    const ofPages = licences.filter((file) => file.startsWith('web/dist/')).map((file) => file.slice(9));
    assert.deepEqual(ofPages.sort(), ['LICENSE.oauth4webapi', 'LICENSE.preact', 'console/LICENSE.preact']);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const production = Object.keys(packages).filter((path) => packages[path].dev !== true);
    for (const file of licences) {
      const name = file.replace(/^.*LICENSE\./, '');
      assert.ok(
        production.some((path) => path.endsWith(`node_modules/${name}`)),
        `${name} is bundled, but a development dependency. Move it to "dependencies".`,
      );
    }
  });

  it('the client tarball has each compiled file with its types, the README and the licence', () => {
    const inside = filesIn(`${tarballs}/vestibule-client-${version}.tgz`);
    const compiled = globSync('*.ts', { cwd: 'packages/client/src' }).flatMap((file) => {
      const name = `lib/${file.replace(/\.ts$/, '')}`;
      return [`${name}.js`, `${name}.d.ts`];
    });
    assert.deepEqual(inside.sort(), [...compiled, 'LICENSE', 'README.md', 'package.json'].sort());
  });

  it('the packed package.json can be published and has no development fields', () => {
    const text = execFileSync('tar', ['xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
    const manifest = JSON.parse(text);
    const clone = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual(manifest.bin, { vestibule: 'bin/vestibule.js' });
    for (const name of ['private', 'scripts', 'devDependencies', 'allowScripts'])
      assert.equal(manifest[name], undefined, name);
    for (const name of ['name', 'version', 'engines', 'dependencies', 'optionalDependencies'])
      assert.deepEqual(manifest[name], clone[name], name);
    assert.equal(manifest.gitHead, packedCommit);
    assert.equal(clone.private, true, 'the clone has no "bin" and is not for publishing');
  });

  it('all build output is ignored by git, and so is token.txt of the README', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    for (const name of ['dist/', 'lib/', 'web/dist/', 'token.txt']) assert.ok(ignored.includes(name), name);
  });
});
