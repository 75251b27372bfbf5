import type { Collection } from '../src/collections/collection.ts';
import { type ServiceParts, serviceRoutes } from '../src/http/routes.ts';
import { apiVersion, openapiDocument } from '../src/openapi/document.ts';
import type { TokenTerms } from '../src/openapi/token-terms.ts';

interface About {
  readonly version: string;
  readonly baseUrl: string;
  readonly tokens?: TokenTerms;
}

/** As the settings have it by themselves. */
const usualTokens: TokenTerms = { dpop: 'on', nonce: false };

/** Those with which everything can occur that can with any. */
export const allTokens: TokenTerms = { dpop: 'required', nonce: true };

/** The document of a service with these collections. No handler is called, so they get no parts to work with. */
export function documentWith(
  collections: readonly Collection[],
  { version, baseUrl, tokens = usualTokens }: About,
) {
  const protectedResource = { resource: baseUrl, issuers: [], scopes: [], dpop: null };
  const parts = { issuer: baseUrl, protectedResource, tokens, collections, records: {}, signOut: {} };
  return openapiDocument(serviceRoutes(parts as unknown as ServiceParts), { version, baseUrl, tokens });
}

/** docs/api/openapi.json: the routes that are there whatever is declared. */
export function builtInDocument(): string {
  const document = documentWith([], { version: apiVersion, baseUrl: 'https://api.example.org' });
  return `${JSON.stringify(document, null, 2)}\n`;
}
