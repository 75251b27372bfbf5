import { RE2JS } from 're2js';

/** A pattern is made into a program; what it costs to run is its length times that of the text. */
const longestProgram = 500;
export const longestPattern = 500;

interface Pattern {
  test(text: string): boolean;
  /** Tells two patterns apart. */
  toString(): string;
}

/** A `pattern` of a schema, checked in a time that grows with the length of the text and no faster. */
export function compilePattern(pattern: string): Pattern {
  const linear = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => linear.test(text), toString: () => pattern };
}

/** What is wrong with a pattern; null when nothing is. It must mean the same to those who read the schema elsewhere. */
export function patternMistake(pattern: string): string | null {
  if (pattern.length > longestPattern) return `must have at most ${longestPattern} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'must be a regular expression as ECMAScript has it (with the flag "u")';
  }
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const isShort = program.programSize() <= longestProgram;
    return isShort
      ? null
      : 'costs too much to check. Use smaller numbers of repetitions, and "maxLength" for the length';
  } catch {
    return 'must do without lookaround and back references, so that it can be checked in linear time';
  }
}
