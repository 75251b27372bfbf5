import { tokenPath } from '../base/addresses.ts';
import type { ErrorCode } from '../base/errors.ts';
import { type Description, tags } from './description.ts';
import {
  anyBearer,
  anyBody,
  anyRequest,
  describedBody,
  errorResponses,
  errorSchemas,
  sharedResponses,
} from './error-responses.ts';
import { budgetHeaders } from './headers.ts';
import type { ApiOperation, OpenApiDocument, Response, Tag } from './openapi-types.ts';
import {
  bearerSchemes,
  canOccur,
  nonceHeader,
  type TokenTerms,
  termsInWords,
  tokenEndpointSchemes,
  tokenSchemes,
} from './token-terms.ts';

interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'client_credentials' | 'signed' | 'bearer' | 'ops';
  /** Null for routes outside the API. */
  readonly describe: (() => Description) | null;
}

type DocumentedRoute = Omit<DescribedRoute, 'describe'> & Description;

interface DocumentOptions {
  readonly version: string;
  readonly baseUrl: string;
  readonly tokens: TokenTerms;
}

/** The version of the API, not of the software. */
export const apiVersion = '1.0.0';

export function openapiDocument(routes: readonly DescribedRoute[], about: DocumentOptions): OpenApiDocument {
  const { tokens } = about;
  const described = routes.flatMap(({ method, path, access, describe }) =>
    describe === null ? [] : [{ method, path, access, ...describe() }],
  );
  const byPath = Map.groupBy(described, ({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  const paths = [...byPath].map(([path, alike]) => [
    path,
    Object.fromEntries(alike.map((route) => [route.method.toLowerCase(), operationOf(route, tokens)])),
  ]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vestibule',
      version: about.version,
      summary: 'The API of this service, made from what it serves.',
      description: [
        'Users call it with an access token of a trusted provider, machine clients with one of POST /token.',
        termsInWords(tokens),
        'Every caller has its own records in the collections below. Other callers see them only if the collection declares it. Errors are problem documents (RFC 9457): decide by "code".',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: about.baseUrl }],
    tags: tagsOf(described),
    paths: Object.fromEntries(paths),
    webhooks: Object.assign({}, ...described.map(webhooksOf)),
    components: {
      schemas: Object.assign(
        {},
        ...described.map(({ schemas }) => schemas),
        errorSchemas((code) => canOccur(code, tokens)),
      ),
      responses: sharedResponses(nonceHeader(tokens)),
      securitySchemes: securitySchemes(described, about),
    },
  };
}

/** Collections come first. */
function tagsOf(described: readonly DocumentedRoute[]): readonly Tag[] {
  const builtIn: readonly Tag[] = Object.values(tags);
  const declared = described.map(({ tag }) => tag).filter((tag) => !builtIn.includes(tag));
  return [...new Map(declared.map((tag) => [tag.name, tag])).values(), ...builtIn];
}

function operationOf(route: DocumentedRoute, tokens: TokenTerms): ApiOperation {
  const { name, summary, description, tag, deprecated, limits, parameters, body, answers, budget } = route;
  const takesProofs = route.access === 'bearer' || route.access === 'client_credentials';
  const nonce = takesProofs ? nonceHeader(tokens) : {};
  const codes = codesOf(route).filter((code) => canOccur(code, tokens));
  const shared = { ...(budget && budgetHeaders(budget)), ...route.headers, ...nonce };
  // The headers of the answer win.
  const complete = (answer: Response): Response => {
    const headers = { ...answer.headers, ...shared, ...answer.headers };
    return Object.keys(headers).length === 0 ? answer : { ...answer, headers };
  };
  return {
    operationId: name,
    summary,
    description,
    tags: [tag.name],
    deprecated,
    security: securityOf(route, tokens),
    'x-limits': limits,
    parameters,
    requestBody: body && { required: true, content: body },
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, each]) => [status, complete(each)])),
      ...errorResponses(codes, nonce, route.current),
    },
  };
}

/** https://www.standardwebhooks.com */
function webhooksOf({
  tag,
  webhooks,
}: DocumentedRoute): Readonly<Record<string, { readonly post: ApiOperation }>> {
  if (webhooks === undefined) return {};
  const header = (name: string, description: string) =>
    ({ name, in: 'header', required: true, description, schema: { type: 'string' } }) as const;
  const parameters = [
    header('webhook-id', 'The id of the event; the same in every retry.'),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
    header('webhook-signature', 'The signatures over id, timestamp and body: one for each secret in use.'),
  ];
  const operations = Object.entries(webhooks.of).map(([name, summary]) => {
    const post: ApiOperation = {
      operationId: `on_${name.replace('.', '_')}`,
      summary,
      tags: [tag.name],
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema: webhooks.body } } },
      responses: {
        '2XX': {
          description:
            'The event is accepted. After any other answer it is sent again; 410 disables the webhook.',
        },
      },
    };
    return [name, { post }];
  });
  return Object.fromEntries(operations);
}

function securityOf(
  { access, scope, isForPeople, bindsTokens }: DocumentedRoute,
  tokens: TokenTerms,
): ApiOperation['security'] {
  if (access === 'client_credentials')
    return bindsTokens ? tokenEndpointSchemes(tokens) : [{}, { clientBasic: [] }];
  return access === 'bearer' ? bearerSchemes(tokens, scope ? [scope.name] : [], isForPeople === true) : [];
}

const parameterErrors = { path: 'not_found', query: 'query_invalid', header: 'header_invalid' } as const;

/** Methods that may have a body, even if the route expects none: it may be too large. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export function codesOf(route: DocumentedRoute): ErrorCode[] {
  const { access, isForPeople, parameters = [], errors = [], budget } = route;
  return [
    ...anyRequest,
    ...(methodsWithBody.has(route.method) ? anyBody : []),
    ...(route.body === undefined ? [] : describedBody),
    ...(access === 'bearer' ? anyBearer : []),
    ...(isForPeople ? (['client_not_admitted'] as const) : []),
    ...parameters.map((parameter) => parameterErrors[parameter.in]),
    ...errors,
    // An uncharged write counts as a read.
    ...(budget === undefined ? [] : (['read_limit_reached'] as const)),
  ];
}

function securitySchemes(
  described: readonly DocumentedRoute[],
  { baseUrl, tokens }: DocumentOptions,
): Record<string, object> {
  const scopes = described.flatMap(({ scope }) => (scope ? [[scope.name, scope.meaning]] : []));
  return {
    ...tokenSchemes(tokens),
    client: {
      type: 'oauth2',
      description: 'A token of POST /token, for machine clients.',
      flows: {
        clientCredentials: { tokenUrl: `${baseUrl}${tokenPath}`, scopes: Object.fromEntries(scopes) },
      },
    },
    clientBasic: { type: 'http', scheme: 'basic', description: 'The id and the secret of a client.' },
  };
}
