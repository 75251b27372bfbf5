import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/duration.ts';
import type { Parse } from '../config/kinds.ts';

/** Parses the value of an option like a setting of that kind. A wrong value is wrong usage. */
export function optionOf<T>(parse: Parse<T>): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`);
    }
  };
}

/** Parses a duration, in milliseconds. */
export const duration: Parse<number> = (text) => {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  throw new Error('must be a number with the unit s, min, h or d, for example 7d, and at most 3650d');
};

/** For an option that can be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
