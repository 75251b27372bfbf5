import type { Mutant } from './mutant.ts';

export interface Noticed {
  readonly mutant: Mutant;
  /** The first test that failed. */
  readonly by: string;
}

/** docs/mutation.md: every check, and the test that fails without it. */
export function mutationDocument(results: readonly Noticed[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = results.map(
    ({ mutant, by }) => `| ${cell(mutant.check)} | \`${mutant.file}\` | ${cell(mutant.why)} | ${cell(by)} |`,
  );
  return [
    '# Checks and the tests that miss them',
    '',
    'Made by `npm run test:mutation`, which takes away one check at a time in a copy of the source and runs the tests:',
    'each time at least one of them must fail. The last column names the first that did.',
    '',
    'Each row of `test/mutation/checks` finds its check by a pattern: spaces and line ends do not count, and `…` stands for',
    'whatever is there now, so that a row quotes the code of a refusal or the name of a rule and survives rewording. When a',
    'pattern fits no place or two, `npm test` says which row has to be written again. StrykerJS was weighed and left: it runs',
    '`node:test` only as a whole command for every mutant, without knowing which tests concern it, and its mutants are',
    'operators, not checks; a run would take days and say less.',
    '',
    '| check | file | without it | noticed by |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
