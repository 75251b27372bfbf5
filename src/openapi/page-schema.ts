import { type Html, html } from '../base/html.ts';
import { isJsonObject } from '../base/json-object.ts';
import { follow } from './follow-reference.ts';
import type { OpenApiDocument, Schema } from './openapi-types.ts';

/** Schemas as tables: a row for each member, those of inner objects under the name of the outer. */

const deepest = 4;

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Null for what has no members to show. */
export function schemaTable(schema: Schema, document: OpenApiDocument): Html | null {
  const rows = rowsOf(schema, document, '', 0);
  if (rows.length === 0) return null;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Members"><table>
<thead><tr><th scope="col">member</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows.map((row) => rowOf(row, document))}</tbody></table></div>`;
}

function rowOf({ name, schema, isRequired }: Row, document: OpenApiDocument): Html {
  return html`<tr><th scope="row"><code>${name}</code>${isRequired ? html` <small>required</small>` : null}</th>
<td>${typeInWords(schema, document)}</td><td>${meaningOf(schema)}</td></tr>
`;
}

/** What a value may be, short enough for a cell. */
export function typeInWords(schema: Schema, document: OpenApiDocument): string {
  const target = resolve(schema, document);
  const choices = [target.anyOf, target.oneOf].find(Array.isArray);
  if (choices !== undefined) {
    const types = choices.map((choice) => typeInWords(choice as Schema, document));
    return [...new Set(types)].join(' or ');
  }
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (Array.isArray(target.enum)) return target.enum.map((choice) => JSON.stringify(choice)).join(', ');
  if (target.type === 'array' && isJsonObject(target.items))
    return `list of ${typeInWords(target.items, document)}`;
  const types = Array.isArray(target.type) ? target.type : [target.type ?? 'any'];
  return `${types.join(' or ')}${typeof target.format === 'string' ? ` (${target.format})` : ''}`;
}

const bounds: Readonly<Record<string, (value: unknown) => string>> = {
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  pattern: (value) => `of the form ${value}`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  default: (value) => `by default ${value}`,
};

/** The title or description, and the limits in words. */
export function meaningOf(schema: Schema): string {
  const about = schema.description ?? schema.title;
  const limits = Object.entries(bounds).flatMap(([keyword, inWords]) =>
    schema[keyword] === undefined ? [] : [inWords(schema[keyword])],
  );
  const words = limits.length === 0 ? '' : `(${limits.join(', ')})`;
  return `${typeof about === 'string' ? about : ''} ${words}`.trim();
}

function rowsOf(schema: Schema, document: OpenApiDocument, prefix: string, depth: number): readonly Row[] {
  const target = resolve(schema, document);
  if (target.type === 'array' && isJsonObject(target.items) && depth < deepest) {
    return rowsOf(target.items, document, `${prefix}[]`, depth + 1);
  }
  const required = new Set(Array.isArray(target.required) ? target.required : []);
  const rows = Object.entries((target.properties ?? {}) as Schema).flatMap(([member, property]) => {
    if (!isJsonObject(property)) return [];
    const name = prefix === '' ? member : `${prefix}.${member}`;
    const row = { name, schema: property, isRequired: required.has(member) };
    return depth < deepest ? [row, ...rowsOf(property, document, name, depth + 1)] : [row];
  });
  const parts = [target.allOf, target.oneOf, target.anyOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (depth >= deepest) return rows;
  return [...rows, ...parts.flatMap((part) => rowsOf(part as Schema, document, prefix, depth + 1))];
}

/** Follows a reference into the document; its target's words are kept unless the reference has its own. */
export function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = follow($ref, document);
  return isJsonObject(target) ? resolve({ ...target, ...beside }, document) : beside;
}
