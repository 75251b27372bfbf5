import type { JsonSchema } from '../base/json-schema.ts';
import type { Schema, Schemas } from '../openapi/openapi-types.ts';
import { listOf, mapOf, object } from '../openapi/schemas.ts';

/** The schema of what the overview shows of a declaration, from the schema of what is declared. */

const shown = Symbol('shown');

/** For a value that the overview shows in another form; null: it is not shown. */
export function shownAs<Of extends JsonSchema>(schema: Schema | null, form: Of): Of {
  return { ...form, [shown]: schema };
}

type Shown = Schema & { readonly [shown]?: Schema | null };

/** Without short forms, bounds and the descriptions of parts. What is false or empty is left out. */
export function shownForm(form: Shown): Schema {
  const { [shown]: own, then: full, type, enum: choices } = form;
  const { items, additionalProperties: named, properties } = form as Readonly<Record<string, Shown>>;
  if (own) return own;
  if (full !== undefined) return shownForm(full as Shown);
  if (properties) return shownObject(form, properties as Schemas);
  if (named) return mapOf(shownForm(named));
  if (items) return listOf(shownForm(items));
  if (type === 'boolean') return { const: true };
  return choices === undefined ? { type } : { enum: choices };
}

function shownObject({ required = [] }: Shown, forms: Readonly<Record<string, Shown>>): Schema {
  const keys = Object.keys(forms).filter((key) => forms[key]?.[shown] !== null);
  const properties = Object.fromEntries(keys.map((key) => [key, shownForm(forms[key] as Shown)]));
  const isOptional = (key: string) =>
    !(required as readonly string[]).includes(key) && !isAlwaysShown(forms[key]?.default, properties[key]);
  return object(properties, keys.filter(isOptional));
}

/** True for a key with a default that is not empty. */
function isAlwaysShown(value: unknown, { required = [] }: Schema = {}): boolean {
  return typeof value === 'string' || (value !== undefined && (required as readonly string[]).length > 0);
}
