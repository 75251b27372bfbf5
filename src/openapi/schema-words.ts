import type { Schema } from './openapi-types.ts';

const ranges = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
  ['minProperties', 'maxProperties', ' members'],
] as const;

const words: Readonly<Record<string, (value: unknown) => string>> = {
  exclusiveMinimum: (value) => `more than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  pattern: (value) => `matches ${value}`,
  uniqueItems: (value) => (value === true ? 'no item twice' : ''),
};

/** The bounds of a value in words: "1 to 80 characters", "more than 0". */
export function boundsInWords(schema: Schema): readonly string[] {
  const counted = ranges.flatMap(([least, most, unit]) => rangeOf(schema[least], schema[most], unit) ?? []);
  const said = Object.entries(words).flatMap(([keyword, inWords]) =>
    schema[keyword] === undefined ? [] : [inWords(schema[keyword])],
  );
  return [...counted, ...said].filter((text) => text !== '');
}

function rangeOf(least: unknown, most: unknown, unit: string): string | null {
  if (least === undefined) return most === undefined ? null : `at most ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
}
