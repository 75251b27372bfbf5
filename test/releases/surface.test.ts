import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { agreedVersion, changelogSection } from '../../packages/release/version.ts';
import { releasedVersions } from './released.ts';
import { type Surface, surface, surfaceKinds } from './surface.ts';

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

const current = surface();
const changelog = readFileSync('CHANGELOG.md', 'utf8');

/** docs/compatibility.md promises that these names stay. */
for (const { version, folder } of releasedVersions)
  describe(`of the names of ${version}`, () => {
    const released: Surface = JSON.parse(readFileSync(`${folder}/surface.json`, 'utf8'));
    const broken = breakingSince(version);
    for (const kind of surfaceKinds)
      it(`no ${kind} are gone, except those under "Breaking" in a newer section of CHANGELOG.md`, () => {
        const gone = released[kind].filter(
          (name) => !current[kind].includes(name) && !broken.includes(`\`${name}\``),
        );
        assert.ok(
          gone.length === 0,
          `${version} had these ${kind}, and they are gone:\n${gone.map((name) => `  ${name}`).join('\n')}\nPut them back. If the next release is meant to break users, add a line with each name in backquotes to "### Breaking" of the newest section of CHANGELOG.md (docs/compatibility.md).`,
        );
      });
  });

/** What stands under "Breaking" above the section of a version. */
function breakingSince(version: string): string {
  const [newer = ''] = changelog.split(`\n## ${version}`);
  const parts = newer.split(/^(?=##)/m);
  return parts.filter((part) => part.startsWith('### Breaking')).join('\n');
}
