import assert from 'node:assert/strict';
import { it } from 'node:test';
import { agreedVersion, changelogSection } from '../../packages/release/version.ts';
import { releasedVersions } from './released.ts';

it('all files name one version, and CHANGELOG.md has its section', () => {
  assert.doesNotThrow(() => changelogSection(agreedVersion()));
});

it('the version has a recording, which later releases are held to', () => {
  const version = agreedVersion();
  assert.ok(
    releasedVersions.some((release) => release.version === version),
    `test/releases/${version} does not exist. Run: npm test -- test/releases/record.ts`,
  );
});
