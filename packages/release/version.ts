import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

/** What stops a release, and what to do about it. */
export class NotReleasable extends Error {}

export function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The version that all packages, the deploy files and the commands of SECURITY.md name. */
export function agreedVersion(): string {
  const { version } = readJson('package.json');
  const named = [
    ...globSync('packages/*/package.json').map((file) => ({ file, found: readJson(file).version })),
    { file: 'package-lock.json', found: readJson('package-lock.json').packages[''].version },
    ...[...globSync('deploy/**/*.yaml'), 'SECURITY.md'].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:\/vestibule:|\/tags\/v|\bversion )(\d[\w.-]*\w)/g)].map(
        ([, found]) => ({ file, found }),
      ),
    ),
  ];
  const wrong = named.filter(({ found }) => found !== version);
  if (wrong.length > 0)
    throw new NotReleasable(
      `package.json has version ${version}, but ${wrong.map(({ file, found }) => `${file} has ${found}`).join(', ')}. Write the same version everywhere.`,
    );
  return version;
}

/** The text for the release page, where relative links lead nowhere. */
export function changelogSection(version: string): string {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
  const section = sections.find((one) => one.split(/\s/, 1)[0] === version);
  const text = section?.slice(section.indexOf('\n')).trim();
  if (!text)
    throw new NotReleasable(
      `CHANGELOG.md has no section "## ${version}" with text. Write what is new in it.`,
    );
  const { homepage } = readJson('package.json');
  return `${text.replaceAll(/\]\((?!https?:|#)/g, `](${homepage}/blob/v${version}/`)}\n`;
}

/** A package names the commit that it was made of, so nothing else may be in it. */
export function cleanCommit(): string {
  const git = (...parameters: string[]) => execFileSync('git', parameters, { encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain');
  if (changes !== '')
    throw new NotReleasable(`The clone has files that are not committed. Commit or remove:\n${changes}`);
  return git('rev-parse', 'HEAD');
}
