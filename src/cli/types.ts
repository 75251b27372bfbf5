import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { OperatorError } from '../base/errors.ts';
import { loadCollectionsDir } from '../config/load.ts';
import { write } from './output.ts';
import type { CommandSettings } from './settings.ts';

type Options = Partial<Record<'out' | 'check', string>>;

export function addTo(program: Command, settings: CommandSettings): void {
  program
    .command('types')
    .description('write the TypeScript types of the declared collections, for createClient<Collections>()')
    .argument('[folder]', 'the folder with the collections; by default COLLECTIONS_DIR, else ./collections')
    .option('--out <file>', 'replace this .d.ts file atomically instead of printing the types')
    .addOption(
      new Option('--check <file>', 'write nothing; exit with code 1 if the file is out of date').conflicts(
        'out',
      ),
    )
    .action(async (folder: string | undefined, { out, check }: Options) => {
      const { declaredTypes } = await import('../operate/declarations.ts');
      const text = declaredTypes(folder ?? loadCollectionsDir(settings.given()));
      if (check !== undefined) compare(check, text);
      else if (out === undefined) write(text);
      else {
        attempt('written', out, () => replaceFile(out, text));
        write(`The types are in "${out}".\n`);
      }
    });
  program
    .command('schema')
    .description('print the JSON Schema of the files that declare collections, for editors')
    .action(async () => {
      const { schemaText } = await import('../operate/declarations.ts');
      write(schemaText());
    });
}

function compare(file: string, text: string): void {
  const found = attempt('read', file, () => readFileSync(file, 'utf8'));
  // Git may check files out with the line ends of the system.
  if (found.replaceAll('\r\n', '\n') !== text)
    throw new OperatorError(
      `"${file}" does not match the declarations. Write it again: npx vestibule types --out ${file}`,
    );
  write(`"${file}" matches the declarations.\n`);
}

/** Readers of the file see the old one or the new one, never a part. */
function replaceFile(file: string, text: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  // Replacing a device such as /dev/null would remove it for the whole machine.
  if (there?.isFile() === false)
    throw new OperatorError(`"${file}" exists and is not a file. Name another file.`);
  const target = there === undefined ? file : realpathSync(file);
  const draft = `${target}.${process.pid}.part`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function attempt<T>(what: 'read' | 'written', file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as { readonly code?: string };
    throw new OperatorError(`"${file}" cannot be ${what} (${code}). Name another file.`);
  }
}
