import type { BearerHandler, PublicHandler } from '../base/handler.ts';
import type { Collection } from '../consumer/collections/collection.ts';
import { deprecationHeaders } from '../consumer/collections/deprecation.ts';
import { eraseAll } from '../consumer/erase.ts';
import { exportAll } from '../consumer/export.ts';
import { me } from '../consumer/me.ts';
import { apiVersion, openapiDocument } from '../consumer/openapi/document.ts';
import {
  openapi,
  pageContentPolicy,
  referencePageHandler,
  referenceStyleHandler,
} from '../consumer/openapi/openapi.ts';
import { overview } from '../consumer/overview.ts';
import type { RecordParts } from '../consumer/records/parts.ts';
import { listRecords, readRecord } from '../consumer/records/read.ts';
import { countingUncharged } from '../consumer/records/uncharged-writes.ts';
import {
  createRecord,
  patchRecord,
  removeRecord,
  replaceRecord,
  takeAction,
} from '../consumer/records/write-requests.ts';
import { usage } from '../consumer/usage.ts';
import type { BuiltFiles } from '../frontend/built-files.ts';
import { pageHeaders } from '../frontend/content-policy.ts';
import { asset, type FrontendSettings, frontendConfig, page as frontendPage } from '../frontend/page.ts';
import { live, type ReadinessParts, ready } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import { issueToken } from '../tokens/issue.ts';
import { authorizationServerMetadata, protectedResourceMetadata } from '../tokens/metadata.ts';
import { publishedKeys } from '../tokens/published-keys.ts';

/** Who may call a route. There is no default: a route that does not say is not a route. */
export type Route = RouteBase &
  (
    | { readonly access: 'public' | 'client_credentials' | 'ops'; readonly handle: PublicHandler }
    | { readonly access: 'bearer'; readonly handle: BearerHandler }
  );

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Whether scripts of the origins in CORS_ORIGINS may call it. */
  readonly cors: boolean;
  /** For a page: what it may load. */
  readonly contentPolicy?: string;
  /** On every answer of the route, refusals too. */
  readonly headers?: Readonly<Record<string, string>>;
}

type ServiceParts = Parameters<typeof issueToken>[0] & {
  readonly issuer: string;
  readonly protectedResource: Parameters<typeof protectedResourceMetadata>[0];
  readonly signingKeys: Parameters<typeof publishedKeys>[0];
  readonly collections: readonly Collection[];
  readonly records: RecordParts;
  /** Null where none is served. */
  readonly frontend: FrontendParts | null;
};

interface FrontendParts extends Omit<FrontendSettings, 'api'> {
  readonly files: BuiltFiles;
  readonly contentPolicy: string;
}

/** Where the consumer API begins. Its major version is part of every address. */
export const consumerPrefix = '/api/consumer/v1';

/** Where the protected resource describes itself (RFC 9728). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource';

/** Everything the service answers to. */
export function serviceRoutes(parts: ServiceParts): readonly Route[] {
  const { issuer, protectedResource, signingKeys, collections, records, frontend } = parts;
  const ofConsumer = { access: 'bearer', cors: true } as const;
  const page = { access: 'public', cors: false, contentPolicy: pageContentPolicy } as const;
  const document = () => openapiDocument(collections, { version: apiVersion, baseUrl: issuer });
  return [
    {
      method: 'POST',
      path: '/token',
      access: 'client_credentials',
      cors: false,
      handle: issueToken(parts),
    },
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'public',
      cors: true,
      handle: publishedKeys(signingKeys),
    },
    {
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      access: 'public',
      cors: true,
      handle: authorizationServerMetadata(issuer),
    },
    {
      method: 'GET',
      path: resourceMetadataPath,
      access: 'public',
      cors: true,
      handle: protectedResourceMetadata(protectedResource),
    },
    { method: 'GET', path: '/openapi.json', access: 'public', cors: true, handle: openapi(document) },
    { ...page, method: 'GET', path: '/docs', handle: referencePageHandler(document) },
    { ...page, method: 'GET', path: '/docs/style.css', handle: referenceStyleHandler() },
    {
      method: 'GET',
      path: consumerPrefix,
      access: 'public',
      cors: true,
      handle: overview(collections, consumerPrefix),
    },
    { ...ofConsumer, method: 'GET', path: `${consumerPrefix}/me`, handle: me(records.registry) },
    { ...ofConsumer, method: 'DELETE', path: `${consumerPrefix}/me`, handle: eraseAll(collections, records) },
    { ...ofConsumer, method: 'GET', path: `${consumerPrefix}/me/usage`, handle: usage(collections, records) },
    {
      ...ofConsumer,
      method: 'GET',
      path: `${consumerPrefix}/me/export`,
      handle: exportAll(collections, records),
    },
    ...collections.flatMap((collection) => collectionRoutes(collection, records)),
    ...(frontend ? frontendRoutes(frontend) : []),
  ];
}

/** The reference frontend: a page, what it loads, and what it has to know. */
function frontendRoutes({ files, contentPolicy, ...settings }: FrontendParts): readonly Route[] {
  const open = { method: 'GET', access: 'public', cors: false } as const;
  return [
    { ...open, path: '/', contentPolicy, headers: pageHeaders, handle: frontendPage(files.page) },
    { ...open, path: '/web/config.json', handle: frontendConfig({ ...settings, api: consumerPrefix }) },
    ...files.assets.map((file): Route => ({ ...open, path: `/web/${file.name}`, handle: asset(file) })),
  ];
}

/** What a declared collection answers to. */
function collectionRoutes(collection: Collection, records: RecordParts): readonly Route[] {
  const path = `${consumerPrefix}/${collection.name}`;
  const one = `${path}/:id`;
  const parts = { ...records, collection, path };
  const all = { access: 'bearer', cors: true, headers: deprecationHeaders(collection) } as const;
  const actions = collection.machine?.actions ?? [];
  const write = (handle: BearerHandler) => countingUncharged(handle, records);
  return [
    { ...all, method: 'GET', path, handle: listRecords(parts) },
    { ...all, method: 'POST', path, handle: write(createRecord(parts)) },
    { ...all, method: 'GET', path: one, handle: readRecord(parts) },
    { ...all, method: 'PUT', path: one, handle: write(replaceRecord(parts)) },
    { ...all, method: 'PATCH', path: one, handle: write(patchRecord(parts)) },
    { ...all, method: 'DELETE', path: one, handle: write(removeRecord(parts)) },
    ...actions.map(
      (action): Route => ({
        ...all,
        method: 'POST',
        path: `${one}/${action}`,
        handle: write(takeAction(parts, action)),
      }),
    ),
  ];
}

type OpsParts = ReadinessParts & { readonly metrics: Metrics };

/** Everything the ops port answers to. */
export function opsRoutes({ metrics, ...readiness }: OpsParts): readonly Route[] {
  return [
    { method: 'GET', path: '/livez', access: 'ops', cors: false, handle: live },
    { method: 'GET', path: '/readyz', access: 'ops', cors: false, handle: ready(readiness) },
    { method: 'GET', path: '/metrics', access: 'ops', cors: false, handle: metrics.expose },
  ];
}
