import type { Command } from 'commander';
import { write } from './output.ts';

/** `vestibule schema`: what an editor completes and checks the files of collections by. */
export function addTo(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of the files that declare collections, for editors')
    .action(async () => {
      const { schemaText } = await import('../app/declarations.ts');
      write(schemaText());
    });
}
