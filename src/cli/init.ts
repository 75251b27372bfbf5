import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { OperatorError } from '../base/errors.ts';
import { integer } from '../config/kinds.ts';
import { optionOf } from './options.ts';
import { write } from './output.ts';

/** The files to write; beside `src` and, in the package, beside its compiled form. */
const starter = fileURLToPath(new URL('../../starter', import.meta.url));

/** The ports in the files: of the service, of its metrics, of the provider of `dev`, and of the page. */
const usualPorts = [8080, 8081, 3000, 5173];

export function addTo(program: Command): void {
  program
    .command('init')
    .description('write a settings file, a collection and a small page that signs in, into this folder')
    .option(
      '--port <number>',
      'the first of four ports: of the service, its metrics, the provider of "dev" and the page (default: 8080, 8081, 3000 and 5173)',
      optionOf(integer(1, 65_536 - usualPorts.length)),
    )
    .action(({ port }: { readonly port?: number }) => {
      const ports = usualPorts.map((usual, index) => (port === undefined ? usual : port + index));
      const files = globSync('**/*.*', { cwd: starter }).sort();
      refuseWhatIsThere(files);
      for (const file of files) copy(file, ports);
      write(nextSteps(files, ports));
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

function copy(file: string, ports: readonly number[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, withPorts(readFileSync(join(starter, file), 'utf8'), ports), { flag: 'wx' });
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new OperatorError(
      `"${file}" cannot be written (${code}). Run the command in a folder that you can write to.`,
    );
  }
}

/** Ports stand behind ":" in addresses and behind "=" in settings. */
function withPorts(text: string, ports: readonly number[]): string {
  return text.replaceAll(/(?<=:|PORT=)\d{4}\b/g, (digits) => {
    const index = usualPorts.indexOf(Number(digits));
    return index < 0 ? digits : String(ports[index]);
  });
}

function nextSteps(files: readonly string[], [, , provider, page]: readonly number[]): string {
  const isUsual = provider === usualPorts[2];
  return `Written: ${files.join(', ')}

Next, run each command in its own shell, in this folder:

  npx vestibule --settings vestibule.env dev${isUsual ? '' : ` --provider-port ${provider}`}
  npx vite

Then open http://localhost:${page}/. The page is plain files: any server that serves only the folder "page" at that address
can replace Vite. See docs/frontend.md of the package for the next steps: types and live data.
`;
}
