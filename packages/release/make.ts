import { execFileSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { writeChecksums } from './checksums.ts';
import { audit, licences, writeSbom } from './dependencies.ts';
import { findingsOf } from './package-findings.ts';
import { changelogSection, cleanCommit, NotReleasable } from './version.ts';

/** Makes dist/ and examines it, in this order. The first fault ends it. */
export async function makeRelease(version: string): Promise<void> {
  changelogSection(version);
  say(`version ${version} at ${cleanCommit()}, with its section in CHANGELOG.md`);

  rmSync('dist', { recursive: true, force: true });
  execFileSync('npm', ['run', '--silent', 'pack'], { stdio: 'inherit' });

  const tarballs = globSync('dist/*.tgz').sort();
  for (const tarball of tarballs) {
    const findings = await findingsOf(tarball);
    if (findings.length > 0) throw new NotReleasable(`${tarball}:\n${findings.join('\n')}`);
    say(`${tarball}  no finding of publint and attw`);
  }

  const sbom = `dist/vestibule-server-${version}.cdx.json`;
  const dependencies = writeSbom(sbom);
  say(`${sbom}  ${dependencies.length} production dependencies`);
  for (const [licence, names] of licences(dependencies)) say(`${licence}: ${names.join(', ')}`);

  say(`dist/SHA256SUMS  ${writeChecksums('dist')} files`);

  say(`npm audit  no finding in ${audit()} dependencies`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
