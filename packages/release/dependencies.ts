import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotReleasable, readJson } from './version.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string };
    readonly expression?: string;
  }[];
}

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Licences that ask for no more than the notice, which stays in each installed package. */
const accepted = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/** Writes the SBOM (CycloneDX) and returns its components: every production dependency of the lock file. */
export function writeSbom(file: string): readonly Component[] {
  const manifest = readJson('package.json');
  using folder = mkdtempDisposableSync(join(tmpdir(), 'vestibule-sbom-'));
  writeProductionLock(folder.path);
  const bom = JSON.parse(npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], folder.path));
  const components: readonly Component[] = bom.components;
  // npm takes the name of the folder.
  bom.metadata.component.name = manifest.name;
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
  return components;
}

/**
 * The lock file of the production dependencies. `npm sbom --omit=dev` leaves out what a development dependency needs,
 * too (npm/cli issue 7909), and names the packages of the clone.
 */
function writeProductionLock(folder: string): void {
  const { devDependencies: _, private: _clone, ...manifest } = readJson('package.json');
  const lock = readJson('package-lock.json');
  // The only linked package is the command of the clone.
  const isProduction = ({ dev, link }: Locked) => dev !== true && link !== true;
  const packages = Object.entries<Locked>(lock.packages).filter(
    ([path, one]) => path.startsWith('node_modules/') && isProduction(one),
  );
  const { devDependencies: _locked, ...root } = lock.packages[''];
  const production = { ...lock, packages: { ...Object.fromEntries(packages), '': root } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(production));
}

/** The dependencies of each licence. */
export function licences(components: readonly Component[]): ReadonlyMap<string, readonly string[]> {
  const licenceOf = ({ licenses }: Component) =>
    licenses?.map(({ license, expression }) => license?.id ?? expression).join(', ') ?? 'none';
  const byLicence = Map.groupBy(components, licenceOf);
  const names = new Map(
    [...byLicence].map(([licence, all]) => [licence, all.map(({ name, version }) => `${name}@${version}`)]),
  );
  for (const [licence, all] of names)
    if (!accepted.has(licence))
      throw new NotReleasable(
        `${all.join(', ')} has the licence ${licence}. Replace it, or add the licence to packages/release/dependencies.ts.`,
      );
  return names;
}

/** The number of dependencies that the registry was asked about. A registry without this service is no audit. */
export function audit(): number {
  const { metadata, vulnerabilities, message } = JSON.parse(
    npm(['audit', '--package-lock-only', '--omit=dev', '--json']),
  );
  if (metadata === undefined)
    throw new NotReleasable(
      `npm audit did not run: ${message}. A release needs its answer. Run it where the registry answers audits.`,
    );
  const found = Object.keys(vulnerabilities);
  if (found.length > 0)
    throw new NotReleasable(`npm audit found ${found.join(', ')}. Run "npm audit", and update them.`);
  return metadata.dependencies.prod;
}

/** The output. The exit code is no matter: 1 is a finding, which the output names. */
function npm(parameters: readonly string[], folder = '.'): string {
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const { stdout, stderr, error } = spawnSync('npm', parameters, options);
  if (error !== undefined) throw error;
  if (stdout === '') throw new NotReleasable(`npm ${parameters[0]} printed nothing: ${stderr}`);
  return stdout;
}
