import type { Schema, Schemas } from './openapi-types.ts';

export const text = { type: 'string' };
export const texts = { type: 'array', items: text };
export const count = { type: 'integer', minimum: 0 };
export const uri = { type: 'string', format: 'uri' };
export const dateTime = { type: 'string', format: 'date-time' };

export function maybe<T extends { readonly type: string }>(schema: T) {
  return { ...schema, type: [schema.type, 'null'] };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function mapOf(additionalProperties: Schema | true, description?: string): Schema {
  return { type: 'object', description, additionalProperties };
}

/** All members are required unless named as optional. */
export function object(properties: Schemas, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}
