import type { Parameter, Schema } from './openapi-types.ts';

/** What a request may say besides its body. */

export function queryParameter(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema };
}

export function headerParameter(name: string, description: string, schema?: Schema): Parameter {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}
