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

/** The overview has no short forms. It leaves out what is false or empty. */
export function shownForm(form: Shown): Schema {
  const { [shown]: own, then: full, description, type, enum: choices, minimum, maximum } = form;
  const { items, additionalProperties: named, properties } = form as Readonly<Record<string, Shown>>;
  const about = description === undefined ? {} : { description };
  if (own) return { ...about, ...own };
  if (full !== undefined) return { ...shownForm(full as Shown), ...about };
  if (properties) return { ...shownObject(form, properties as Schemas), ...about };
  if (named) return { ...mapOf(shownForm(named)), ...about };
  if (items) return { ...listOf(shownForm(items)), ...about };
  if (type === 'boolean') return { const: true, ...about };
  if (choices !== undefined) return { enum: choices, ...about };
  return { type, ...(minimum === undefined ? {} : { minimum, maximum }), ...about };
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
