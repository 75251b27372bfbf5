import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { verifyChecksums } from './checksums.ts';
import { NotReleasable, readJson } from './version.ts';

/** Publishes the tarballs of dist/, with provenance (`publishConfig`). A tarball that the registry already has is left out, so it can be repeated. */
export function publish(version: string): void {
  const { GITHUB_REPOSITORY = 'no repository', GITHUB_REF = 'no tag' } = process.env;
  const { repository } = readJson('package.json');
  if (repository.url !== `git+https://github.com/${GITHUB_REPOSITORY}.git`)
    throw new NotReleasable(
      `This is ${GITHUB_REPOSITORY}, but package.json names ${repository.url}. Only the release workflow of that repository publishes; to try a release, run: npm run release -- --dry-run`,
    );
  if (GITHUB_REF !== `refs/tags/v${version}`)
    throw new NotReleasable(
      `This is ${GITHUB_REF}, but package.json has version ${version}. Tag v${version}.`,
    );
  verifyChecksums('dist');
  for (const tarball of globSync('dist/*.tgz').sort()) {
    const name = tarball.replace(/^dist\/(\w+)-(\w+)-.*$/, '@$1/$2');
    if (publishedIntegrity(`${name}@${version}`) === integrityOf(tarball))
      process.stdout.write(`${tarball} is in the registry\n`);
    else execFileSync('npm', ['publish', `./${tarball}`], { stdio: 'inherit' });
  }
}

function publishedIntegrity(specifier: string): string {
  return spawnSync('npm', ['view', specifier, 'dist.integrity'], { encoding: 'utf8' }).stdout.trim();
}

function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}
