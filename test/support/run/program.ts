import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundleService } from '../../../packages/bundle.ts';

/** The service as the package has it, with two programs of the tests. A run has hundreds of starts. */
export async function buildProgram(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/bin`, { recursive: true });
  for (const file of ['package.json', 'bin/vestibule.js']) copyFileSync(file, `${folder}/${file}`);
  for (const name of ['docs', 'starter', 'web']) symlinkSync(resolve(name), `${folder}/${name}`);
  await bundleService(`${folder}/lib`, {
    'clocked-main': 'test/support/services/clocked-main.ts',
    'host-main': 'test/support/services/host-main.ts',
  });
}
