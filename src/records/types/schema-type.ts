import { isJsonObject } from '../../base/strict-json.ts';
import type { Schema } from '../../collections/collection.ts';
import { formats, isFormatName } from '../../collections/formats.ts';
import { type JsonType, typesOf } from '../../collections/schema-grammar.ts';
import { boundsInWords } from '../../openapi/schemas.ts';
import { block, comment, literal, memberName, plain, sentence, union } from './source-text.ts';

/** Lists in requests are `readonly`; lists in answers are not. */
export type Use = 'read' | 'write';

export function typeOf(schema: unknown, use: Use): string {
  return union(membersOf(schema, use));
}

function membersOf(schema: unknown, use: Use): readonly string[] {
  if (!isJsonObject(schema)) return [schema === false ? 'never' : 'unknown'];
  const { const: only, enum: choices, anyOf, oneOf } = schema;
  if (only !== undefined) return [literal(only)];
  if (Array.isArray(choices)) return choices.map(literal);
  const types = typesOf(schema);
  if (types.length > 0) return types.map((type) => typeNamed(type, schema, use));
  const [first, second] = [anyOf, oneOf]
    .filter((alternatives) => Array.isArray(alternatives))
    .map((alternatives) => alternatives.flatMap((each) => membersOf(each, use)));
  if (first === undefined) return ['unknown'];
  return second === undefined ? first : [`((${first.join(' | ')}) & (${second.join(' | ')}))`];
}

function typeNamed(type: JsonType, schema: Schema, use: Use): string {
  if (type === 'array') return listType(schema, use);
  if (type === 'object') return objectType(schema, use);
  return type === 'integer' ? 'number' : type;
}

function listType({ items, prefixItems, minItems = 0, maxItems }: Schema, use: Use): string {
  const readonly = use === 'write' ? 'readonly ' : '';
  const rest = `${inParentheses(membersOf(items, use))}[]`;
  if (!Array.isArray(prefixItems)) return `${readonly}${rest}`;
  const first = prefixItems.map((item, index) => {
    const member = inParentheses(membersOf(item, use));
    return index < Number(minItems) ? member : `${member}?`;
  });
  const isEnd = items === false || (typeof maxItems === 'number' && maxItems <= first.length);
  return `${readonly}[${[...first, ...(isEnd ? [] : [`...${rest}`])].join(', ')}]`;
}

/** A type in the form that may precede "[]" and "?". */
function inParentheses(members: readonly string[]): string {
  const [only = 'never', ...more] = new Set(members);
  return more.length === 0 && !only.startsWith('readonly ') ? only : `(${[only, ...more].join(' | ')})`;
}

/** `readonly` names the members that only the service sets. */
export function objectType(
  { properties = {}, required = [], additionalProperties }: Schema,
  use: Use,
  readonly: ReadonlySet<string> = new Set(),
): string {
  const members = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, property]) => {
    const isRequired = (required as readonly string[]).includes(name);
    const isReadonly = readonly.has(name);
    const type = typeOf(property, isReadonly ? 'write' : use);
    const head = `${isReadonly ? 'readonly ' : ''}${memberName(name)}${isRequired ? '' : '?'}:`;
    return `${comment(fieldComment(property))}${head} ${type};`;
  });
  return block([...members, ...othersOf(additionalProperties, members.length > 0, use)]);
}

/** TypeScript wants the index signature to cover the named members. */
function othersOf(schema: unknown, hasNamed: boolean, use: Use): readonly string[] {
  if (schema === false) return hasNamed ? [] : ['[name: string]: never;'];
  return [`[name: string]: ${hasNamed ? 'unknown' : typeOf(schema, use)};`];
}

function fieldComment(schema: Schema): readonly string[] {
  const { title, description } = schema;
  return [
    ...[title, description].map((text) => sentence(String(text ?? ''))),
    plain(limitsOf(schema)),
    schema['x-personal'] === true ? 'Personal data.' : '',
    schema.deprecated === true ? '@deprecated' : '',
  ];
}

function limitsOf(schema: Schema): string {
  const { format } = schema;
  const kind = typesOf(schema).includes('integer') ? ['a whole number'] : [];
  const form = format === undefined ? [] : [formInWords(format)];
  const limits = [...kind, ...boundsInWords(schema), ...form].join(', ');
  return limits === '' ? '' : `${limits[0]?.toUpperCase()}${limits.slice(1)}.`;
}

function formInWords(format: unknown): string {
  return `in the format ${format}${isFormatName(format) ? `, such as ${formats[format].example}` : ''}`;
}
