import { RE2JS } from 're2js';

/** The cost of a match is the size of the compiled program times the length of the text. */
const longestProgram = 500;
export const longestPattern = 500;

/** Matches in linear time (RE2). */
export function compilePattern(pattern: string) {
  const linear = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text: string) => linear.test(text), toString: () => pattern };
}

/** Null if the pattern is usable. It must also be valid ECMAScript, for other readers of the schema. */
export function patternMistake(pattern: string): string | null {
  if (pattern.length > longestPattern) return `must have at most ${longestPattern} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'must be a regular expression of ECMAScript (with the flag "u")';
  }
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const isShort = program.programSize() <= longestProgram;
    return isShort
      ? null
      : 'is too expensive to check. Use smaller numbers of repetitions, and "maxLength" for the length';
  } catch {
    return 'must not have lookaround or backreferences, because it is checked in linear time';
  }
}
