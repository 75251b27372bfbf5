import type { Collection } from '../collections/collection.ts';
import { builtInPaths, builtInTags } from './built-in.ts';
import { collectionPaths } from './collection-paths.ts';
import { collectionSchemas } from './collection-schemas.ts';
import { errorSchemas, sharedResponses } from './error-responses.ts';
import type { OpenApiDocument, Tag } from './openapi-types.ts';

interface About {
  readonly version: string;
  readonly baseUrl: string;
}

const root = '/api/consumer/v1';

/** Of the API, not of the software: it moves when the API grows. */
export const apiVersion = '1.0.0';

/** The whole API with these collections, as OpenAPI 3.1. */
export function openapiDocument(collections: readonly Collection[], about: About): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vestibule',
      version: about.version,
      summary: 'The API of this service, made from what it serves.',
      description:
        'People come in with an access token of the identity provider, machine clients with one of POST /token. Whoever is let in has records of its own in the collections below, and nobody sees those of another unless the collection says so. Errors are problem documents (RFC 9457): decide by "code".',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: about.baseUrl }],
    tags: [...collections.map(tagOf), ...builtInTags],
    paths: Object.assign({}, ...collections.map((each) => collectionPaths(each, root)), builtInPaths(root)),
    components: {
      schemas: Object.assign(
        {},
        ...collections.map((each) => collectionSchemas(each).components),
        errorSchemas,
      ),
      responses: sharedResponses,
      securitySchemes: securitySchemes(collections, about.baseUrl),
    },
  };
}

function tagOf({ name, title, description }: Collection): Tag {
  return { name, description: description ?? title };
}

function securitySchemes(collections: readonly Collection[], baseUrl: string): Record<string, object> {
  const scopes = collections.flatMap(({ access, title }) => [
    ...(access.scopes.read === null ? [] : [[access.scopes.read, `Reading ${title}.`]]),
    ...(access.scopes.write === null ? [] : [[access.scopes.write, `Changing ${title}.`]]),
  ]);
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'An access token of the identity provider.',
    },
    client: {
      type: 'oauth2',
      description: 'A token of POST /token, for machine clients.',
      flows: {
        clientCredentials: { tokenUrl: `${baseUrl}/token`, scopes: Object.fromEntries(scopes) },
      },
    },
    clientBasic: { type: 'http', scheme: 'basic', description: 'The id and the secret of a client.' },
  };
}
