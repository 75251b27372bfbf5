import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** What stands under names of its own: whatever is started, loaded into a thread, or imported by its address. */
const entryPoints = {
  main: 'src/main.ts',
  'storage/sqlite/worker-start': 'src/storage/sqlite/worker-start.js',
  'records/rules/batch-rules': 'src/records/rules/batch-rules.ts',
  'clocked-main': 'test/support/clocked-main.ts',
  'host-main': 'test/support/host-main.ts',
};

/**
 * The service put together from its source, in a folder that is laid out as the package is (bin, lib and what they read).
 * A third of a start goes into finding, reading and linking 700 to 900 small files, 280 of them Kysely's, and a run has hundreds of starts.
 */
export async function buildProgram(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/bin`, { recursive: true });
  for (const file of ['package.json', 'bin/vestibule.js']) copyFileSync(file, `${folder}/${file}`);
  for (const name of ['starter', 'web']) symlinkSync(resolve(name), `${folder}/${name}`);
  const source = resolve('src');
  const compiled = (path: string) => join(folder, 'lib', relative(source, path)).replace(/\.ts$/, '.js');
  const contentsOf = (path: string) => {
    const text = readFileSync(path, 'utf8').replaceAll(
      'import.meta.url',
      JSON.stringify(pathToFileURL(compiled(path))),
    );
    return path === resolve('src/cli/program.ts') ? withStaticImports(text) : text;
  };
  await build({
    entryPoints,
    outdir: `${folder}/lib`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    // Errors are told apart by their names in the log.
    keepNames: true,
    external: otherPackages(),
    logLevel: 'warning',
    plugins: [
      {
        name: 'every file knows where it would stand in the package',
        setup({ onLoad }) {
          onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({ contents: contentsOf(path), loader: 'ts' }));
        },
      },
    ],
  });
}

/**
 * For the list of commands, all of which are loaded at each start. esbuild makes a file of whatever is imported by \`import()\`,
 * and more of what two such files share: without that a start loads 76 files instead of 97.
 */
function withStaticImports(text: string): string {
  const imports: string[] = [];
  const rest = text.replace(/\bimport\(('[^']+')\)/g, (_, file) => {
    const name = `command${imports.length}`;
    imports.push(`import * as ${name} from ${file};\n`);
    return name;
  });
  return imports.join('') + rest;
}

/** Packages of many small files that are put in as well; the others stay where they are installed. */
const putIn = ['kysely', 'ajv', 'commander'];

function otherPackages(): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.filter((name) => !putIn.includes(name));
}
