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

/** Refuses if a file exists. It runs before the first write, so such a conflict leaves nothing behind. */
function refuseWhatIsThere(files: readonly string[]): void {
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) return;
  throw new OperatorError(
    `This folder has ${there.join(', ')} already, so nothing was written. Run the command in an empty folder, or remove ${there.length === 1 ? 'the file' : 'the files'} first.`,
  );
}

function copy(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(join(starter, file), file, constants.COPYFILE_EXCL);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new OperatorError(
      `"${file}" cannot be written (${code}). Run the command in a folder that you can write to.`,
    );
  }
}

function nextSteps(files: readonly string[]): string {
  return `Written: ${files.join(', ')}

Next, run each command in its own shell, in this folder:

  npx vestibule --settings vestibule.env dev
  npx vite

Then open http://localhost:5173/. The page is plain files: any server that serves only the folder "page" at that address
can replace Vite. See docs/frontend.md of the package for the next steps: types and live data.
`;
}
