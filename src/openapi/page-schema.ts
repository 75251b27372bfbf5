import { type Html, html } from '../base/html.ts';
import { isJsonObject } from '../base/json-object.ts';
import type { OpenApiDocument, Schema } from './openapi-types.ts';
import { boundsInWords } from './schemas.ts';

/** Schemas as lists: a row for each member, with the path of inner ones. */

const deepest = 4;

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export function schemaRows(schema: Schema, document: OpenApiDocument): Html | null {
  const rows = rowsOf(schema, document, '', 0);
  if (rows.length === 0) return null;
  return html`<dl class="rows">${rows.map((row) =>
    factRow({ ...row, type: typeInWords(row.schema, document), meaning: meaningOf(row.schema) }),
  )}</dl>`;
}

interface Fact {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly meaning: string;
}

/** A description list, because tables do not fit on a phone. */
export function factRow({ name, isRequired, type, meaning }: Fact): Html {
  return html`<div><dt><code>${name}</code>${isRequired ? html` <small>required</small>` : null}</dt>
<dd><span class="type">${type}</span> ${meaning}</dd></div>
`;
}

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

export function meaningOf(schema: Schema): string {
  const about = schema.description ?? schema.title;
  const standard = schema.default === undefined ? [] : [`by default ${schema.default}`];
  const limits = [...boundsInWords(schema), ...standard];
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

/** Follows a reference; words beside it win. */
export function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = follow($ref, document);
  return isJsonObject(target) ? resolve({ ...target, ...beside }, document) : beside;
}

/** RFC 6901 section 6. */
export function follow(reference: string, root: object): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((whole, name) => (whole as Record<string, unknown> | undefined)?.[name], root);
}
