import { nameOf, type Say } from './mistakes.ts';
import { readYaml } from './yaml-text.ts';

/** Something wrong in a text, in one sentence. */
export interface LineMistake {
  readonly line: number;
  /** What was expected, what was found, what would be right. */
  readonly sentence: string;
}

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
    /** In the order of their lines. */
    mistakes: (): readonly LineMistake[] => mistakes.toSorted((one, other) => one.line - other.line),
  };
}
