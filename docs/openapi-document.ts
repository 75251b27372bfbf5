import type { Collection } from '../src/consumer/collections/collection.ts';
import { type ServiceParts, serviceRoutes } from '../src/http/routes.ts';
import { apiVersion, openapiDocument } from '../src/openapi/document.ts';

type About = Parameters<typeof openapiDocument>[1];

/** The document of a service with these collections. No handler is called, so they get no parts to work with. */
export function documentWith(collections: readonly Collection[], about: About) {
  const protectedResource = { resource: about.baseUrl, issuers: [], scopes: [], dpop: null };
  const parts = { issuer: about.baseUrl, protectedResource, collections, records: {}, signOut: {} };
  return openapiDocument(serviceRoutes(parts as unknown as ServiceParts), about);
}

/** docs/api/openapi.json: the routes that are there whatever is declared. */
export function builtInDocument(): string {
  const document = documentWith([], { version: apiVersion, baseUrl: 'https://api.example.org' });
  return `${JSON.stringify(document, null, 2)}\n`;
}
