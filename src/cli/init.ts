import { constants, copyFileSync, existsSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { OperatorError } from '../base/errors.ts';
import { write } from './output.ts';

/** The files to write; beside `src` and, in the package, beside its compiled form. */
const starter = fileURLToPath(new URL('../../starter', import.meta.url));

export function addTo(program: Command): void {
  program
    .command('init')
    .description('write a settings file, a collection and a small page that signs in, into this folder')
    .action(() => {
      const files = globSync('**/*.*', { cwd: starter }).sort();
      refuseWhatIsThere(files);
      for (const file of files) copy(file);
      write(nextSteps(files));
    });
}

/** Checked before anything is written: the command never leaves half a folder. */
function refuseWhatIsThere(files: readonly string[]): void {
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) return;
  throw new OperatorError(
    `This folder has ${there.join(', ')} already, and nothing was written. Go to an empty folder, or take ${there.length === 1 ? 'it' : 'them'} away first.`,
  );
}

function copy(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(join(starter, file), file, constants.COPYFILE_EXCL);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new OperatorError(`"${file}" cannot be written (${code}). Go to a folder that can be written to.`);
  }
}

function nextSteps(files: readonly string[]): string {
  return `Written: ${files.join(', ')}

Next, each in a shell of its own, in this folder:

  npx vestibule --settings vestibule.env dev
  npx vite

and open http://localhost:5173/. The page is plain files: whatever serves the folder "page", and no other, at that address
will do in the place of Vite. docs/frontend.md of the package leads on from here, to types and to live data.
`;
}
