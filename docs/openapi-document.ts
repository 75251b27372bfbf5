import { apiVersion, openapiDocument } from '../src/consumer/openapi/document.ts';

/** docs/api/openapi.json: the routes that are there whatever is declared. */
export function builtInDocument(): string {
  const document = openapiDocument([], { version: apiVersion, baseUrl: 'https://api.example.org' });
  return `${JSON.stringify(document, null, 2)}\n`;
}
