import type { ErrorCode } from '../base/errors.ts';
import type { BearerHandler, PublicHandler } from '../base/handler.ts';
import { me } from '../consumer/me.ts';
import type { Registry } from '../consumer/registry.ts';
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
  /** What a body that cannot be read amounts to, where it is not `media_type_not_supported`. */
  readonly unreadableBody?: ErrorCode;
}

type ServiceParts = Parameters<typeof issueToken>[0] & {
  readonly issuer: string;
  readonly protectedResource: Parameters<typeof protectedResourceMetadata>[0];
  readonly signingKeys: Parameters<typeof publishedKeys>[0];
  readonly registry: Registry;
};

/** Where the protected resource describes itself (RFC 9728). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource';

/** Everything the service answers to. */
export function serviceRoutes(parts: ServiceParts): readonly Route[] {
  const { issuer, protectedResource, signingKeys, registry } = parts;
  return [
    {
      method: 'POST',
      path: '/token',
      access: 'client_credentials',
      cors: false,
      unreadableBody: 'credentials_missing',
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
    {
      method: 'GET',
      path: '/api/consumer/v1/me',
      access: 'bearer',
      cors: true,
      handle: me(registry),
    },
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
