import { pointerTo } from '../base/yaml/json-pointer.ts';
import { found, type Say, suggestion } from '../base/yaml/mistakes.ts';
import type { IndexedField } from '../storage/port.ts';
import type { Schema } from './collection.ts';
import { formats, isFormatName } from './formats.ts';

/** Each index makes every write slower. */
export const mostIndexedFields = 8;
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

export function readIndex(names: readonly string[], schema: Schema, say: Say): readonly IndexedField[] {
  for (const [index, name] of names.entries()) {
    const mistake = mistakeIn(name, schema);
    if (mistake !== null) say(pointerTo('/index', index), `${mistake}; ${found(name)}`);
  }
  return names.map((name) => ({ name, kind: kinds[String(propertyOf(schema, name)?.type)] ?? 'text' }));
}

function mistakeIn(name: string, schema: Schema): string | null {
  const properties = Object.keys(schema.properties as Schema);
  const property = propertyOf(schema, name);
  if (property === undefined) return `must be a property of the schema (${suggestion(name, properties)})`;
  if (queryParameters.includes(name)) return 'has a name that is reserved in queries. Choose another name';
  if (!((schema.required ?? []) as readonly unknown[]).includes(name)) {
    return 'must be in "required" of the schema: lists cannot be sorted by an optional field';
  }
  if (kinds[String(property.type)] === undefined)
    return 'must have the "type" string, integer, number or boolean';
  if (property.type !== 'string') return null;
  if (property.format === 'date-time' && aboutForm.some((keyword) => property[keyword] !== undefined)) {
    return `is stored in UTC with milliseconds, so the field cannot have ${aboutForm.join(', ')}`;
  }
  return longestOf(property) > longestText
    ? `must have a "maxLength" of at most ${longestText}, or a format of such a length`
    : null;
}

/** Characters that a text of this format can have. */
export function longestOf({ maxLength, format, enum: values, const: value }: Schema): number {
  const byFormat = isFormatName(format) ? formats[format].mostLetters : Number.POSITIVE_INFINITY;
  const texts = Array.isArray(values) ? values : value === undefined ? null : [value];
  if (texts !== null) return Math.max(...texts.map((text) => String(text).length));
  return typeof maxLength === 'number' ? Math.min(maxLength, byFormat) : byFormat;
}

function propertyOf(schema: Schema, name: string): Schema | undefined {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
