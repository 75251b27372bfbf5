import { isJsonObject, pointerTo } from '../base/strict-json.ts';
import type { ReportAt } from '../base/yaml/mistakes.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import { typesOf } from './schema-grammar.ts';
import { maxSchemaLevels } from './schema-rules.ts';
import { isInPlace, roleIn, type SchemaRole, subschemasOf, withSubschemas } from './subschemas.ts';

const maxParts = 2000;
/** The limit below one field. A body of 64 KiB costs some 2 ms for each alternative: 60 with patterns took a second. */
export const maxAlternatives = 32;

/** Inlines every "$ref", and closes objects that do not allow other members. Reports a mistake with `say` and returns null. */
export function resolveSchema(schema: Schema, pointer: string, say: ReportAt): Schema | null {
  const { $defs, $schema: _, ...described } = schema;
  const definitions = (isJsonObject($defs) ? $defs : {}) as Readonly<Record<string, Schema>>;
  const written = writtenOut(described, definitions);
  if (written === null) {
    const bounds = `${maxParts} parts or ${maxSchemaLevels} levels`;
    say(
      pointer,
      `has more than ${bounds} when every "$ref" is written out. Make it smaller, and let no "$ref" lead back to itself`,
    );
    return null;
  }
  const crowded = placeOfTooManyAlternatives(written, pointer);
  if (crowded === null) return closed({ type: 'object', ...written }, 'description');
  say(
    crowded,
    `has more than ${maxAlternatives} alternatives and conditions ("anyOf", "oneOf", "allOf", "not", "if"), and a large body would take long to check. Use fewer, or an "enum"`,
  );
  return null;
}

/** The field with too many alternatives below it, or the whole schema for conditions between the fields. */
function placeOfTooManyAlternatives({ properties, ...whole }: Schema, pointer: string): string | null {
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(
    ([name, field]) => [pointerTo(`${pointer}/properties`, name), field] as const,
  );
  const found = [[pointer, whole] as const, ...fields].find(
    ([, part]) => alternativesIn(part) > maxAlternatives,
  );
  return found?.[0] ?? null;
}

function alternativesIn(schema: Schema): number {
  return subschemasOf(schema).reduce(
    (count, part) => count + (isInPlace(part.keyword) ? 1 : 0) + alternativesIn(part.schema),
    0,
  );
}

function definitionName(reference: string): string {
  return reference.slice('#/$defs/'.length);
}

/** Null if it becomes too large. */
function writtenOut(whole: Schema, definitions: Readonly<Record<string, Schema>>): Schema | null {
  let parts = 0;
  let isTooMuch = false;
  const write = (schema: Schema, level: number): Schema => {
    parts += 1;
    isTooMuch ||= parts > maxParts || level > maxSchemaLevels;
    if (isTooMuch) return {};
    const { $ref, ...beside } = schema;
    if (typeof $ref !== 'string') return withSubschemas(schema, (part) => write(part, level + 1));
    return { ...write(definitions[definitionName($ref)] ?? {}, level), ...beside };
  };
  const written = write(whole, 0);
  return isTooMuch ? null : written;
}

function closed(schema: Schema, role: SchemaRole): Schema {
  const parts = withSubschemas(schema, (part, keyword) => closed(part, roleIn(schema, keyword, role)));
  const isObject = schema.properties !== undefined || typesOf(schema).includes('object');
  if (role === 'condition' || !isObject) return parts;
  return { type: 'object', ...parts, additionalProperties: parts.additionalProperties ?? false };
}
