import { execFile } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const frameworks = ['express', 'fastify', 'hono', '@hono/node-server', 'koa'];

/**
 * `npm install` of the tarballs of both packages and of the frameworks into an empty folder, without any script. It is outside of
 * the project, where nothing of the project can be found by accident.
 */
export async function installPackages(folder: string, tarballs: string): Promise<string> {
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }\n');
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const packages = [
    ...globSync(`${tarballs}/vestibule-{verify,client}-*.tgz`),
    ...frameworks.map((name) => `${name}@${devDependencies[name]}`),
  ];
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  await run('npm', ['install', ...options, ...packages], { cwd: folder, env: { ...process.env, PATH } });
  // What their types need, for the programs that are compiled there.
  symlinkSync(resolve('node_modules/@types'), `${folder}/node_modules/@types`);
  copyFileSync('test/support/packages/verify-servers.js', `${folder}/verify-servers.js`);
  return folder;
}

/** The Node.js for installed packages: VESTIBULE_TEST_NODE, or that of the tests. */
export function nodeUnderTest(): string {
  return process.env.VESTIBULE_TEST_NODE ?? process.execPath;
}
