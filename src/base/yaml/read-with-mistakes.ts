import { escapeUnseen } from '../unseen.ts';
import { nameOf, type Say } from './mistakes.ts';
import { readYaml } from './yaml-text.ts';

export interface LineMistake {
  readonly line: number;
  /** What was expected, what was found, what would be right. */
  readonly sentence: string;
}

const mostShown = 20;

/** A YAML text as data, with its mistakes. Its readers add theirs by `say`, each with a JSON pointer. */
export function readWithMistakes(text: string, placeOf: (pointer: string) => string = nameOf) {
  const yaml = readYaml(text);
  const mistakes: LineMistake[] = [...yaml.mistakes];
  const say: Say = (pointer, predicate) => {
    const sentence = `${placeOf(pointer)} ${predicate}`;
    mistakes.push({
      line: yaml.lineOf(pointer),
      sentence: /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    });
  };
  return {
    data: yaml.data,
    say,
    /** The first of them in the order of their lines, and how many more there are. */
    mistakes(): readonly LineMistake[] {
      const all = mistakes
        .toSorted((one, other) => one.line - other.line)
        .map(({ line, sentence }) => ({ line, sentence: escapeUnseen(sentence) }));
      const next = all[mostShown];
      if (next === undefined) return all;
      const sentence = `From here on there are ${all.length - mostShown} more mistakes.`;
      return [...all.slice(0, mostShown), { line: next.line, sentence }];
    },
  };
}
