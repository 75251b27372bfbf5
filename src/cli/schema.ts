import type { Command } from 'commander';
import { write } from './output.ts';

export function addTo(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of the files that declare collections, for editors')
    .action(async () => {
      const { schemaText } = await import('../operate/declarations.ts');
      write(schemaText());
    });
}
