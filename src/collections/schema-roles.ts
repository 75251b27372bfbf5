import type { Schema } from './collection.ts';

/**
 * A schema either describes a value, and then says all of it (its type, its members, its bounds), or is a further
 * condition on a value that is described elsewhere.
 */
export type Role = 'description' | 'condition';

const conditions = ['allOf', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const alternatives = ['anyOf', 'oneOf'];

/** The role of the schemas that stand in a keyword of a schema. */
export function roleIn(parent: Schema, keyword: string, role: Role): Role {
  if (role === 'condition' || conditions.includes(keyword)) return 'condition';
  return alternatives.includes(keyword) && saysType(parent) ? 'condition' : 'description';
}

/** Each says by itself what a value is. */
export const typeSayers = ['type', 'enum', 'const', 'properties', '$ref'] as const;

/** Whether a schema says by itself what its value is, so that alternatives in it are mere conditions. */
export function saysType(schema: Schema): boolean {
  return typeSayers.some((keyword) => schema[keyword] !== undefined);
}

/** Whether a keyword holds further schemas for the same value. */
export function isInPlace(keyword: string): boolean {
  return ['allOf', 'not', 'if', 'then', 'else', ...alternatives].includes(keyword);
}
