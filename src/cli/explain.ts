import type { Command } from 'commander';
import { describe, OperatorError } from '../base/errors.ts';
import type { ExplainedToken } from '../operate/explain.ts';
import { type Flags, findingLines, print, printing, table, write } from './output.ts';
import type { CommandSettings } from './settings.ts';

type ExplainOptions = Flags<'pseudonym'>;

/** `vestibule explain`: explains a token step by step. The output contains no secrets. */
export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'explain',
    'read a token from standard input and explain, step by step, why it is accepted or refused',
  )
    .option('--pseudonym', 'also show the pseudonym of the caller')
    // Refuses wrong usage that the parser cannot see, with the reason.
    .allowExcessArguments()
    .action(async (options: ExplainOptions, command: Command) => {
      if (command.args.length > 0) {
        command.error(
          'error: the token is an argument, which the shell keeps in its history and other users of the machine can see. Give it on standard input, for example: npx vestibule explain < token.txt',
          { exitCode: 2 },
        );
      }
      const { config, from } = await settings.ofService();
      // Written to standard error: standard output holds only the explanation, as text or JSON.
      if (from !== undefined) write(`Settings: ${from}.\n`, process.stderr);
      const token = bareToken(await readInput());
      const { explainToken } = await import('../operate/explain.ts');
      const { pseudonym, ...explained } = await explainToken(config, token);
      const shown = options.pseudonym ? { ...explained, pseudonym } : explained;
      print(options.json, shown, () => forPeople(shown));
      if (!explained.accepted) process.exitCode = 1;
    });
}

/** Far longer than any accepted token. */
const maxCharacters = 1_000_000;

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) write('Paste the token, then press Enter and Ctrl-D.\n', process.stderr);
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxCharacters) break;
  }
  return text;
}

/** Tokens as people copy them: with blanks around them, and the rest of the header in front. */
function bareToken(input: string): string {
  const token = input.trim().replace(/^(authorization:\s*)?(bearer|dpop)\s+/i, '');
  if (token !== '') return token;
  throw new OperatorError(
    'There is no token on standard input. Give it there, for example: npx vestibule explain < token.txt',
  );
}

function forPeople(explained: Omit<ExplainedToken, 'pseudonym'> & Partial<ExplainedToken>): string {
  const { accepted, code, status, summary, steps, claims, collections, pseudonym } = explained;
  const columns = {
    COLLECTION: 'name',
    READ: ({ read }: Access) => accessInWords(read),
    WRITE: ({ write }: Access) => accessInWords(write),
  } as const;
  return [
    accepted ? 'Accepted.' : `Refused with ${status} ${code}. ${summary}`,
    '',
    ...findingLines(steps.map((step) => ({ ...step, advice: null }))),
    '',
    claims.length === 0
      ? 'No claims can be read.'
      : `Claims (their values are not shown): ${claims.join(', ')}`,
    ...(pseudonym === undefined ? [] : [`Pseudonym: ${pseudonym ?? 'not available'}`]),
    ...(collections.length === 0 ? [] : ['', table(columns, collections)]),
  ].join('\n');
}

type Access = ExplainedToken['collections'][number];

function accessInWords({ records, code, scope }: Access['read']): string {
  if (code === null) return `${records} records`;
  if (scope !== null) return `no: the token lacks the scope "${scope}"`;
  return `no: ${code}. ${describe(code).sentence}`;
}
