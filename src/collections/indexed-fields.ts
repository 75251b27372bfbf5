import { pointerTo } from '../base/strict-json.ts';
import { found, type ReportAt, suggestion } from '../base/yaml/mistakes.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import type { IndexedField } from '../storage/port.ts';
import { formats, isFormatName } from './formats.ts';
import { typesOf } from './schema-grammar.ts';

/** Each index makes every write slower. */
export const maxIndexedFields = 8;
const longestText = 500;
export const queryParameters = ['limit', 'cursor', 'sort', 'mine', 'state', 'role', 'q'];
/** Date-times are stored normalised, not as sent. */
const aboutForm = ['minLength', 'maxLength', 'pattern', 'enum', 'const'];

const kinds: Readonly<Record<string, IndexedField['kind']>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

export function checkIndex(names: readonly string[], schema: Schema, say: ReportAt): void {
  for (const [index, name] of names.entries()) {
    const pointer = pointerTo('/index', index);
    const property = findProperty(name, schema, pointer, say);
    const mistake = property && mistakeIn(name, property, schema);
    if (mistake) say(pointer, `${mistake}; ${found(name)}`);
  }
}

/** Reports a name that is unknown. A property with a mistake of its own is {}. */
export function findProperty(
  name: string,
  schema: Schema,
  pointer: string,
  say: ReportAt,
): Schema | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const known = Object.keys(properties);
  if (known.length > 0 && !known.includes(name))
    say(pointer, `must be a property of the schema; ${found(name)}, ${suggestion(name, known)}`);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function mistakeIn(name: string, property: Schema, schema: Schema): string | null {
  if (queryParameters.includes(name)) return 'has a name that is reserved in queries. Choose another name';
  if (!((schema.required ?? []) as readonly unknown[]).includes(name)) {
    return 'must be in "required" of the schema: lists cannot be sorted by an optional field';
  }
  const kind = kindOf(property);
  if (kind === null) return 'must have the "type" string, integer, number or boolean';
  if (kind !== 'text') return null;
  if (property.format === 'date-time' && aboutForm.some((keyword) => property[keyword] !== undefined)) {
    return `is stored in UTC with milliseconds, so the field cannot have ${aboutForm.join(', ')}`;
  }
  return longestOf(property) > longestText
    ? `must have a "maxLength" of at most ${longestText}, or a format of such a length`
    : null;
}

/** Null for other types, and for several. Of {} there is nothing to say. */
export function kindOf(property: Schema = {}): IndexedField['kind'] | null {
  if (Object.keys(property).length === 0) return 'boolean';
  const [type = '', ...more] = typesOf(property);
  return more.length > 0 ? null : (kinds[type] ?? null);
}

/** Characters that a text of this format can have. */
export function longestOf({ maxLength, format, enum: values, const: value }: Schema): number {
  const byFormat = isFormatName(format) ? formats[format].maxLetters : Number.POSITIVE_INFINITY;
  const texts = Array.isArray(values) ? values : value === undefined ? null : [value];
  if (texts !== null) return Math.max(...texts.map((text) => String(text).length));
  return typeof maxLength === 'number' ? Math.min(maxLength, byFormat) : byFormat;
}

export const maxSearchedFields = 8;

/** Search looks at texts and lists of texts. There is no index, so they may have any length. */
export function checkSearch(names: readonly string[], schema: Schema, say: ReportAt): void {
  for (const [index, name] of names.entries()) {
    const pointer = pointerTo('/search', index);
    const property = findProperty(name, schema, pointer, say);
    const isWrong =
      property && Object.keys(property).length > 0 && !isText(property) && !isText(property.items);
    if (isWrong) say(pointer, `must have the "type" string, or "items" with that type; ${found(name)}`);
  }
}

function isText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && typesOf(schema as Schema).includes('string');
}
