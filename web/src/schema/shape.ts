import type { Schema } from '../api/types.ts';
import { t, type Words } from '../parts/words.ts';

/** Which input a part of a record gets, by its JSON Schema. A schema without a shape here gets an input for JSON. */
export type Shape =
  | {
      readonly kind: 'text';
      readonly long: boolean;
      readonly input: 'text' | 'email' | 'url';
      readonly mayBeEmpty: boolean;
    }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'flag' }
  | { readonly kind: 'date' }
  | { readonly kind: 'moment' }
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'json' };

export interface Field {
  readonly name: string;
  readonly label: string;
  /** The description of the schema, and the limits. */
  readonly hint: string | null;
  /** The limits alone. */
  readonly limits: string | null;
  readonly required: boolean;
  /** An empty input means `null` where the field is required. */
  readonly nullable: boolean;
  readonly shape: Shape;
}

/** In characters. A field for longer texts gets several lines. */
const lineLength = 120;

export function fieldsOfSchema(schema: Schema, root: Schema = schema): readonly Field[] {
  const required = new Set(schema.required as readonly string[] | undefined);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, property]) => {
    const resolved = resolve(property, root);
    return {
      name,
      label: typeof resolved.title === 'string' ? resolved.title : inWords(name),
      hint: sentences(resolved.description, limitsOf(resolved)),
      limits: limitsOf(resolved),
      required: required.has(name),
      nullable: typesOf(resolved).includes('null'),
      shape: shapeOf(resolved, root),
    };
  });
}

export function shapeOf(schema: Schema, root: Schema): Shape {
  const resolved = resolve(schema, root);
  if (Array.isArray(resolved.enum)) return { kind: 'choice', values: resolved.enum };
  if ('const' in resolved) return { kind: 'choice', values: [resolved.const] };
  const type = typesOf(resolved).find((one) => one !== 'null');
  switch (type ?? ('properties' in resolved ? 'object' : undefined)) {
    case 'string':
      return textShape(resolved);
    case 'integer':
      return { kind: 'number', whole: true };
    case 'number':
      return { kind: 'number', whole: false };
    case 'boolean':
      return { kind: 'flag' };
    case 'array':
      return listShape(resolved, root);
    case 'object':
      return isClosed(resolved)
        ? { kind: 'group', fields: fieldsOfSchema(resolved, root) }
        : { kind: 'json' };
    default:
      return { kind: 'json' };
  }
}

function textShape({ format, maxLength, minLength = 0, pattern }: Schema): Shape {
  if (format === 'date-time') return { kind: 'moment' };
  if (format === 'date') return { kind: 'date' };
  return {
    kind: 'text',
    long: format === undefined && (typeof maxLength !== 'number' || maxLength > lineLength),
    input: format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text',
    mayBeEmpty: minLength === 0 && format === undefined && pattern === undefined,
  };
}

/** Only lists of single values have a shape. Any other list gets an input for JSON. */
function listShape({ items, prefixItems }: Schema, root: Schema): Shape {
  if (prefixItems !== undefined || typeof items !== 'object' || items === null) return { kind: 'json' };
  const item = shapeOf(items as Schema, root);
  return item.kind === 'list' || item.kind === 'group' || item.kind === 'json'
    ? { kind: 'json' }
    : { kind: 'list', item };
}

/** True if the schema names all members, so that each can have an input. */
function isClosed({ properties, additionalProperties }: Schema): boolean {
  return properties !== undefined && additionalProperties === false;
}

function typesOf({ type }: Schema): readonly unknown[] {
  return [type].flat();
}

/** Follows a reference to `#/$defs/...`. Members beside the reference override those of its target. */
function resolve(schema: Schema, root: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref, ...beside } = schema;
  const name = $ref.slice('#/$defs/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
  const target = (root.$defs as Record<string, Schema> | undefined)?.[name];
  return target === undefined ? beside : resolve({ ...target, ...beside }, root);
}

/** What a value may be, in words: "From 1 to 8." Null without limits. */
function limitsOf(schema: Schema): string | null {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Record<string, unknown>;
  // That a text or a list is not empty goes without saying.
  return sentences(
    range(minimum, maximum, Number.NEGATIVE_INFINITY, t.limits.values),
    range(minLength, maxLength, 2, t.limits.characters),
    range(minItems, maxItems, 2, t.limits.items),
  );
}

function range(min: unknown, max: unknown, sayFrom: number, words: Words['limits']['values']): string | null {
  const hasMin = typeof min === 'number' && min >= sayFrom;
  if (hasMin && typeof max === 'number') return words.between(min, max);
  if (typeof max === 'number') return words.most(max);
  return hasMin ? words.least(min) : null;
}

function sentences(...said: readonly unknown[]): string | null {
  return said.filter((one) => typeof one === 'string' && one !== '').join(' ') || null;
}

/** `due_date` and `dueDate` are both "Due date". */
export function inWords(name: string): string {
  const spaced = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
