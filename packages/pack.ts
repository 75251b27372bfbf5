import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRelease } from '../src/config/release.ts';

/**
 * `npm run pack`: leaves a tarball of every package in dist/ and says how large it is. Each is built by its `prepack`, which
 * npm runs before it packs; that of the service it runs before any script that is called `pack`. Nothing that git keeps is changed.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist');
const stage = join(target, 'server');

/** The output of `npm pack --json` for a tarball. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

rmSync(target, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
stageService();
const others = globSync('packages/*/package.json', { cwd: root }).sort();
for (const folder of [stage, ...others.map((file) => dirname(join(root, file)))]) {
  // Files of an earlier run may have no source any more.
  if (folder !== stage) rmSync(join(folder, 'lib'), { recursive: true, force: true });
  const { filename, size, files } = pack(folder, '--pack-destination', target);
  process.stdout.write(`dist/${filename}  ${Math.ceil(size / 1000)} kB  ${files.length} files\n`);
}
rmSync(stage, { recursive: true });

/**
 * The service is packed from a copy, because its package.json is another than the clone's: with a `bin` in the clone, npx
 * would link the clone into its own cache and change the mode of files there instead of running what `npm ci` has linked.
 */
function stageService(): void {
  const { files } = pack(root, '--dry-run', '--ignore-scripts');
  for (const needed of ['lib/main.js', 'web/dist/index.html'])
    if (!files.some(({ path }) => path === needed))
      throw new Error(`${needed} does not exist. Run: npm run pack`);
  for (const { path } of files) cpSync(join(root, path), join(stage, path));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const {
    private: _,
    scripts: _scripts,
    devDependencies: _dev,
    allowScripts: _allow,
    ...published
  } = manifest;
  // Like "npm publish": distinguishes the package from others of the same version.
  published.gitHead = readRelease().commit ?? undefined;
  published.bin = { vestibule: 'bin/vestibule.js' };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

function pack(folder: string, ...options: readonly string[]): Packed {
  const parameters = ['pack', '--json', '--foreground-scripts=false', '--loglevel=error', ...options];
  const said = execFileSync('npm', parameters, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [packed] = Object.values(JSON.parse(said) as Record<string, Packed>);
  if (packed === undefined || packed.files.length === 0) throw new Error(`npm packed nothing of ${folder}`);
  return packed;
}
