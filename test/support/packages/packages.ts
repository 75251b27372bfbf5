import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What git ignores, and what no package has anything of. */
const notCopied = /^(node_modules|\.git|\.test-run.*|data|coverage|test|bench|dist|lib)$/;

/** The commit that the copy claims to be at. */
export const packedCommit = '0123456789abcdef0123456789abcdef01234567';

/** What the packages are made of, with the installed packages. Packing builds the frontend anew, which other tests are reading. */
export function copyForPacking(folder: string): void {
  for (const name of readdirSync('.').filter((one) => !notCopied.test(one)))
    cpSync(name, `${folder}/${name}`, { recursive: true });
  symlinkSync(resolve('node_modules'), `${folder}/node_modules`);
}

/** `npm run pack` in a copy of the project. */
export async function packProject(folder: string): Promise<{ project: string; tarballs: string }> {
  copyForPacking(folder);
  mkdirSync(`${folder}/.git`);
  writeFileSync(`${folder}/.git/HEAD`, `${packedCommit}\n`);
  await run('npm', ['run', 'pack'], { cwd: folder });
  return { project: folder, tarballs: `${folder}/dist` };
}

/** The package of a program, without its scripts. It stays for the next run. Answers with the folder of the package. */
export async function installProgram(name: string, version: number, cacheFolder: string): Promise<string> {
  const prefix = `${cacheFolder}/${name.replace('/', '-')}-${version}`;
  const folder = `${prefix}/node_modules/${name}`;
  if (!existsSync(`${folder}/package.json`)) {
    mkdirSync(prefix, { recursive: true });
    const options = ['--ignore-scripts', '--prefer-offline', '--prefix', prefix];
    await run('npm', ['install', ...options, `${name}@${version}`]);
  }
  return folder;
}
