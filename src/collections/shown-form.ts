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

/** The loader writes short forms in full. What is false or empty is left out. */
export function shownForm(form: Shown): Schema {
  const { [shown]: own, then: full, description, type, enum: choices, minimum, maximum } = form;
  const { items, additionalProperties: named, properties } = form as Readonly<Record<string, Shown>>;
  const about = description === undefined ? {} : { description };
  if (own) return { ...about, ...own };
  if (full !== undefined) return { ...shownForm(full as Schema), ...about };
  if (properties) return { ...shownObject(form, properties as Schemas), ...about };
  if (named) return { ...mapOf(shownForm(named)), ...about };
  if (items) return { ...listOf(shownForm(items)), ...about };
  if (type === 'boolean') return { const: true, ...about };
  if (choices !== undefined) return { enum: choices, ...about };
  return { type, ...(minimum === undefined ? {} : { minimum, maximum }), ...about };
}

function shownObject({ required = [] }: Shown, properties: Readonly<Record<string, Shown>>): Schema {
  const always = required as readonly string[];
  const keys = Object.entries(properties).filter(([, form]) => form[shown] !== null);
  const optional = keys.filter(([key, form]) => !always.includes(key) && !isFilled(form.default));
  const schemas = keys.map(([key, form]) => [key, shownForm(form)]);
  return object(
    Object.fromEntries(schemas),
    optional.map(([key]) => key),
  );
}

/** True for a default that is shown. */
function isFilled(value: unknown): boolean {
  return typeof value === 'string';
}
