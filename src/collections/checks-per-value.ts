import { isJsonObject } from '../base/json-object.ts';
import type { Schema } from './collection.ts';
import { isInPlace } from './schema-roles.ts';
import { subschemasOf } from './subschemas.ts';

/** A body of 64 KiB costs some 2 ms for each: 60 alternatives with patterns took a second. */
export const mostChecksPerValue = 32;

/**
 * An upper bound of how many subschemas one value of a body is checked against. Alternatives and conditions apply to the same value;
 * members of different names do not. The schema has no `$ref` any more.
 */
export function checksPerValue(schema: Schema): number {
  const counted = new Map<Schema, number>();
  const most = (of: Schema): number => {
    const known = counted.get(of) ?? mostBelow(inPlaceOf(of));
    counted.set(of, known);
    return known;
  };
  const optional = (of: unknown) => (isJsonObject(of) ? most(of) : 0);
  const mostBelow = (parts: readonly Schema[]): number => {
    const members = parts.map(({ properties }) => (isJsonObject(properties) ? properties : {}));
    const names = new Set(members.flatMap(Object.keys));
    const sum = (countOf: (part: Schema, index: number) => number) =>
      parts.reduce((total, part, index) => total + countOf(part, index), 0);
    return Math.max(
      parts.length,
      ...[...names].map((name) =>
        sum(({ additionalProperties }, index) => {
          const own = members[index] ?? {};
          return optional(Object.hasOwn(own, name) ? own[name] : additionalProperties);
        }),
      ),
      sum(({ additionalProperties }) => optional(additionalProperties)),
      sum(({ propertyNames }) => optional(propertyNames)),
      sum(({ items, prefixItems, contains }) => {
        const first = Array.isArray(prefixItems) ? prefixItems.map(optional) : [];
        return Math.max(optional(items), ...first) + optional(contains);
      }),
    );
  };
  return most(schema);
}

/** The schema and all others in it that are about the same value. */
function inPlaceOf(schema: Schema): readonly Schema[] {
  const inside = subschemasOf(schema).filter(({ keyword }) => isInPlace(keyword));
  return [schema, ...inside.flatMap((part) => inPlaceOf(part.schema))];
}
