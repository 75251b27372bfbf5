import { isJsonObject } from '../base/json-object.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import type { Say } from '../base/yaml/mistakes.ts';
import { checksPerValue, mostChecksPerValue } from './checks-per-value.ts';
import type { Schema } from './collection.ts';
import { typesOf } from './schema-grammar.ts';
import { type Role, roleIn } from './schema-roles.ts';
import { mostSchemaLevels } from './schema-rules.ts';
import { subschemasOf, withSubschemas } from './subschemas.ts';

const mostParts = 2000;

/**
 * A schema that `checkSchema` found nothing wrong with, as it is used and published: with every definition written out
 * where it is referred to, and every object closed that does not say otherwise. Null when it cannot be written out.
 */
export function resolveSchema(schema: Schema, pointer: string, say: Say): Schema | null {
  const { $defs, $schema: _, ...described } = schema;
  const definitions = (isJsonObject($defs) ? $defs : {}) as Readonly<Record<string, Schema>>;
  const circle = circleIn(definitions);
  if (circle !== null) {
    say(
      `${pointer}/$defs/${circle}`,
      'leads back to itself. A record has an end, so write out as many levels as it has',
    );
    return null;
  }
  const written = writtenOut(described, definitions);
  if (written === null) {
    const bounds = `${mostParts} parts or ${mostSchemaLevels} levels`;
    say(pointer, `has more than ${bounds} when every "$ref" is written out. Make it smaller`);
    return null;
  }
  if (checksPerValue(written) <= mostChecksPerValue)
    return closed({ type: 'object', ...written }, 'description');
  say(
    placeOfMostChecks(written, pointer),
    `has more than ${mostChecksPerValue} alternatives and conditions ("anyOf", "oneOf", "allOf", "not", "if") for one value, and a large body would take long to check. Use fewer, or an "enum"`,
  );
  return null;
}

/** The property that is to blame, where it is a single one. */
function placeOfMostChecks({ properties }: Schema, pointer: string): string {
  const [name] =
    Object.entries(properties as Readonly<Record<string, Schema>>).find(
      ([, property]) => checksPerValue(property) > mostChecksPerValue,
    ) ?? [];
  return name === undefined ? pointer : pointerTo(`${pointer}/properties`, name);
}

/** The name of a definition that refers to itself, through others or not. */
function circleIn(definitions: Readonly<Record<string, Schema>>): string | null {
  const finished = new Set<string>();
  const leadsBack = (name: string, path: ReadonlySet<string>): boolean => {
    if (path.has(name)) return true;
    if (finished.has(name)) return false;
    const further = referencesIn(definitions[name] ?? {}).some((next) =>
      leadsBack(next, new Set([...path, name])),
    );
    finished.add(name);
    return further;
  };
  return Object.keys(definitions).find((name) => leadsBack(name, new Set())) ?? null;
}

function referencesIn(schema: Schema): readonly string[] {
  const own = typeof schema.$ref === 'string' ? [definitionName(schema.$ref)] : [];
  return [...own, ...subschemasOf(schema).flatMap((part) => referencesIn(part.schema))];
}

function definitionName(reference: string): string {
  return reference.slice('#/$defs/'.length);
}

/** Every definition in the place of what refers to it; null when that becomes too much. */
function writtenOut(whole: Schema, definitions: Readonly<Record<string, Schema>>): Schema | null {
  let parts = 0;
  let isTooMuch = false;
  const write = (schema: Schema, level: number): Schema => {
    parts += 1;
    isTooMuch ||= parts > mostParts || level > mostSchemaLevels;
    if (isTooMuch) return {};
    const { $ref, ...beside } = schema;
    if (typeof $ref !== 'string') return withSubschemas(schema, (part) => write(part, level + 1));
    return { ...write(definitions[definitionName($ref)] ?? {}, level), ...beside };
  };
  const written = write(whole, 0);
  return isTooMuch ? null : written;
}

function closed(schema: Schema, role: Role): Schema {
  const parts = withSubschemas(schema, (part, keyword) => closed(part, roleIn(schema, keyword, role)));
  const isObject = schema.properties !== undefined || typesOf(schema).includes('object');
  if (role === 'condition' || !isObject) return parts;
  return { type: 'object', ...parts, additionalProperties: parts.additionalProperties ?? false };
}
