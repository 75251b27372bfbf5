import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { releasedVersions } from './released.ts';

const versionIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')).version;
const version: string = versionIn('package.json');

/** All else reads package.json. */
it('the packages, the lock file, the image of Kubernetes and CHANGELOG.md name one version', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const named = {
    'packages/client': versionIn('packages/client/package.json'),
    'packages/verify': versionIn('packages/verify/package.json'),
    'package-lock.json': lock.version,
    'package-lock.json, packages': lock.packages[''].version,
    'deploy/kubernetes/vestibule.yaml': first(
      /image: \S+\/vestibule:(\S+)/,
      'deploy/kubernetes/vestibule.yaml',
    ),
    'CHANGELOG.md': first(/^## (\d\S*)/m, 'CHANGELOG.md'),
  };
  for (const [place, found] of Object.entries(named))
    assert.equal(
      found,
      version,
      `${place} names ${found}, and package.json ${version}. Change both to one version.`,
    );
});

it('the version has a recording, which later releases are held to', () => {
  assert.ok(
    releasedVersions.some((release) => release.version === version),
    `test/releases/${version} does not exist. Run: npm test -- test/releases/record.ts`,
  );
});

function first(pattern: RegExp, file: string): string | undefined {
  return pattern.exec(readFileSync(file, 'utf8'))?.[1];
}
