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
  generalBearerErrors,
  generalErrors,
} from './error-responses.ts';
import { budgetHeaders } from './headers.ts';
import type { ApiOperation, PathItem, Reference, Response, Schemas, Tag } from './openapi-types.ts';
import { PartsInUse } from './shared-parts.ts';
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

/** Yields after each route: with hundreds of collections the whole takes longer than other callers should wait. */
export function* documentInSteps(routes: readonly DescribedRoute[], about: DocumentOptions) {
  const { tokens } = about;
  const parts = new PartsInUse();
  const described: DocumentedRoute[] = [];
  const paths: Record<string, PathItem> = {};
  const schemas: Record<string, Schemas[string]> = {};
  const webhooks: Record<string, Reference> = {};
  for (const { method, path, access, describe } of routes) {
    if (describe === null) continue;
    const route = { method, path, access, ...describe() };
    described.push(route);
    const address = path.replace(/:(\w+)/g, '{$1}');
    paths[address] = { ...paths[address], [method.toLowerCase()]: operationOf(route, tokens, parts) };
    Object.assign(schemas, route.schemas);
    Object.assign(webhooks, webhooksOf(route, parts));
    yield;
  }
  return {
    openapi: '3.1.1' as const,
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
    security: bearerSchemes(tokens, [], true),
    tags: tagsOf(described),
    paths,
    webhooks,
    components: {
      schemas: { ...schemas, ...errorSchemas((code) => canOccur(code, tokens)) },
      ...parts,
      securitySchemes: securitySchemes(described, about),
    },
  };
}

export type OpenApiDocument =
  ReturnType<typeof documentInSteps> extends Generator<void, infer Made> ? Made : never;

/** Collections come first. */
function tagsOf(described: readonly DocumentedRoute[]): readonly Tag[] {
  const builtIn: readonly Tag[] = Object.values(tags);
  const declared = described.map(({ tag }) => tag).filter((tag) => !builtIn.includes(tag));
  return [...new Map(declared.map((tag) => [tag.name, tag])).values(), ...builtIn];
}

function operationOf(route: DocumentedRoute, tokens: TokenTerms, parts: PartsInUse): ApiOperation {
  const { name, summary, description, tag, deprecated, parameters, body, answers, budget } = route;
  const takesProofs = route.access === 'bearer' || route.access === 'client_credentials';
  const nonce = takesProofs ? nonceHeader(tokens) : {};
  const possible = (codes: readonly ErrorCode[]) => codes.filter((code) => canOccur(code, tokens));
  const general = possible(route.access === 'bearer' ? generalBearerErrors : generalErrors);
  const shared = { ...(budget && budgetHeaders(budget)), ...route.headers, ...nonce };
  // The headers of the answer win.
  const complete = (status: string, answer: Response) => {
    const headers = parts.shareHeaders({ ...answer.headers, ...shared, ...answer.headers });
    const hasSome = Object.keys(headers).length > 0;
    return [status, parts.share('responses', status, hasSome ? { ...answer, headers } : answer)];
  };
  return {
    operationId: name,
    summary,
    description,
    tags: [tag.name],
    deprecated,
    security: securityOf(route, tokens),
    parameters: parameters?.map((each) => parts.share('parameters', each.name, each)),
    requestBody: body && { required: true, content: body },
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, each]) => complete(status, each))),
      ...errorResponses(possible(codesOf(route)), general, nonceHeader(tokens), parts, route.current),
    },
  };
}

/** https://www.standardwebhooks.com */
function webhooksOf({ tag, webhooks }: DocumentedRoute, parts: PartsInUse): Record<string, Reference> {
  if (webhooks === undefined) return {};
  const header = (name: string, description: string) =>
    ({ name, in: 'header', required: true, description, schema: { type: 'string' } }) as const;
  const parameters = [
    header('webhook-id', 'The id of the event; the same in every retry.'),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
    header('webhook-signature', 'The signatures over id, timestamp and body: one for each secret in use.'),
  ];
  const accepted =
    'The event is accepted. After any other answer it is sent again; 410 disables the webhook.';
  const post: ApiOperation = {
    operationId: 'on_event',
    summary: 'An event',
    description:
      'The name says what happened to a record: it was created, changed or deleted, it has expired, or an action led to this state. consumer.erased: a caller was erased with all its data.',
    tags: [tag.name],
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: webhooks.body } } },
    responses: { '2XX': { description: accepted } },
  };
  const event = parts.share('pathItems', 'event', { post }) as Reference;
  return Object.fromEntries(webhooks.names.map((name) => [name, event]));
}

function securityOf(
  { access, scope, isForPeople, bindsTokens }: DocumentedRoute,
  tokens: TokenTerms,
): ApiOperation['security'] {
  if (access === 'client_credentials')
    return bindsTokens ? tokenEndpointSchemes(tokens) : [{}, { clientBasic: [] }];
  if (access !== 'bearer') return [];
  // As for the whole document.
  if (isForPeople && !scope) return undefined;
  return bearerSchemes(tokens, scope ? [scope.name] : [], isForPeople === true);
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
