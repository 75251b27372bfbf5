import type { Collection } from '../src/collections/collection.ts';
import { type ServiceParts, serviceRoutes } from '../src/http/routes.ts';
import { apiVersion, documentInSteps, type OpenApiDocument } from '../src/openapi/document.ts';
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
export function documentSteps(
  collections: readonly Collection[],
  { version, baseUrl, tokens = usualTokens }: About,
): Generator<unknown, OpenApiDocument> {
  const protectedResource = { resource: baseUrl, issuers: [], scopes: [], dpop: null };
  const parts = {
    issuer: baseUrl,
    protectedResource,
    tokens,
    collections,
    records: {},
    consumer: {},
    signOut: {},
  };
  const routes = serviceRoutes(parts as unknown as ServiceParts);
  return documentInSteps(routes, { version, baseUrl, tokens });
}

export function documentWith(...of: Parameters<typeof documentSteps>): OpenApiDocument {
  const steps = documentSteps(...of);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** docs/api/openapi.json: the routes that are there whatever is declared. */
export function builtInDocument(): string {
  const document = documentWith([], { version: apiVersion, baseUrl: 'https://api.example.org' });
  return `${JSON.stringify(document, null, 2)}\n`;
}
