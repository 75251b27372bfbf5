import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agreedVersion, changelogSection, NotReleasable } from './release/version.ts';

/**
 * `npm run release -- --dry-run` makes dist/ as it is released and examines it. `--notes` prints the section of CHANGELOG.md. Without
 * an option it publishes what a dry run has left in dist/, which only the release workflow can.
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, notes: { type: 'boolean', default: false } },
});
try {
  const version = agreedVersion();
  if (values.notes) {
    process.stdout.write(changelogSection(version));
  } else if (values['dry-run']) {
    // Loaded here, because publishing runs without installed packages.
    const { makeRelease } = await import('./release/make.ts');
    await makeRelease(version);
  } else {
    const { publish } = await import('./release/publish.ts');
    publish(version);
  }
} catch (error) {
  if (!(error instanceof NotReleasable)) throw error;
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
