import type { Schema } from '../../collections/collection.ts';
import { formats, isFormatName } from '../../collections/formats.ts';
import { typesOf } from '../../collections/schema-grammar.ts';
import { boundsInWords } from '../../openapi/schema-words.ts';
import { plain, sentence } from './source-text.ts';

/** The lines of the comment on a field: what its schema says in words, its limits, and whether it is on its way out. */
export function fieldComment(schema: Schema): readonly string[] {
  const { title, description } = schema;
  return [
    ...[title, description].map((text) => sentence(String(text ?? ''))),
    plain(limitsOf(schema)),
    schema['x-personal'] === true ? 'Personal data.' : '',
    schema.deprecated === true ? '@deprecated' : '',
  ];
}

/** What TypeScript cannot say of a value. */
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
