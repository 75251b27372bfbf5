import { escapeUnseen } from '../unseen.ts';
import { nameOf, type Say } from './mistakes.ts';
import { readYaml } from './yaml-text.ts';

/** Something wrong in a text, in one sentence. */
export interface LineMistake {
  readonly line: number;
  /** What was expected, what was found, what would be right. */
  readonly sentence: string;
}

/** Nobody reads on, and most are the same mistake again. */
const mostShown = 20;

/**
 * A YAML text as data, and a list of all that is wrong with it. While its form is wrong, `data` is not worth reading;
 * afterwards whoever reads it says what else is wrong, each with the pointer to its place.
 */
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
      const [next, ...others] = all.slice(mostShown);
      // To tell of one more takes as much room as to show it.
      if (next === undefined || others.length === 0) return all;
      const sentence = `From here on there are ${1 + others.length} more mistakes.`;
      return [...all.slice(0, mostShown), { line: next.line, sentence }];
    },
  };
}
