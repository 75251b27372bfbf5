import { cpSync, globSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';

const source = resolve(import.meta.dirname, '../src');

/** Modules that are started or loaded by their address: they keep their names. */
const entryPoints = ['main.ts', 'storage/sqlite/worker-start.js', 'records/rules/batch-rules.ts'];

/** Packages of many small files. A start loads 430 modules less with them in the bundle. */
const inlined = ['kysely', 'ajv', 'commander'];

/**
 * The service as a few files of JavaScript in `target`, which stands beside `web` and `starter` as `src` does. Finding, reading and
 * linking several hundred modules takes more than half of a start. `more` are further entry points, by name.
 */
export async function bundleService(
  target: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const begun = new Date();
  rmSync(target, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: {
      ...Object.fromEntries(entryPoints.map((file) => [file.replace(/\.[jt]s$/, ''), join(source, file)])),
      ...more,
    },
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    external: otherPackages(),
    logLevel: 'warning',
    plugins: [
      {
        name: 'addresses relative to a source file',
        setup({ onLoad }) {
          onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
            contents: withAddress(path),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  copyLicences(metafile, target);
  // bin/vestibule.js compares it with the times of the source, which may change while this runs.
  utimesSync(join(target, 'main.js'), begun, begun);
}

/** The licence of each package in a bundle, as `LICENSE.<package>` beside it. */
export function copyLicences({ inputs }: Metafile, target: string): void {
  // The innermost folder is the package: another may have installed it for itself.
  const packages = Object.keys(inputs).map((path) => /^.*\bnode_modules\/([^/]+)\//.exec(path));
  const folders = new Map(packages.flatMap((found) => (found === null ? [] : [[found[1], found[0]]])));
  for (const [name, folder] of folders) {
    const [licence] = globSync(`${folder}LICENSE*`);
    if (licence === undefined)
      throw new Error(`${folder} has no LICENSE; a bundle must have one for each package.`);
    cpSync(licence, join(target, `LICENSE.${name}`));
  }
}

/** In the bundle `import.meta.url` is the address of a file directly in `target`. */
function withAddress(path: string): string {
  const name = relative(source, path).replace(/\.ts$/, '.js');
  return readFileSync(path, 'utf8').replaceAll(
    'import.meta.url',
    `new URL(${JSON.stringify(name)}, import.meta.url).href`,
  );
}

function otherPackages(): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(resolve(source, '../package.json'), 'utf8'),
  );
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.filter((name) => !inlined.includes(name));
}
