import type { ErrorCode } from '../base/errors.ts';
import type { BearerHandler, PublicHandler } from '../base/handler.ts';
import { me } from '../consumer/me.ts';
import type { Registry } from '../consumer/registry.ts';
import { live, type ReadinessParts, ready } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Clients } from '../tokens/clients.ts';
import { issueToken } from '../tokens/issue.ts';
import { type Mint, publishedKeys } from '../tokens/own-issuer.ts';
import type { SigningKey } from '../tokens/signing-keys.ts';

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

interface ServiceParts {
  readonly clients: Clients;
  readonly mint: Mint;
  readonly signingKeys: readonly SigningKey[];
  readonly registry: Registry;
}

/** Everything the service answers to. */
export function serviceRoutes(parts: ServiceParts): readonly Route[] {
  const { clients, mint, signingKeys, registry } = parts;
  return [
    {
      method: 'POST',
      path: '/token',
      access: 'client_credentials',
      cors: false,
      unreadableBody: 'credentials_missing',
      handle: issueToken(clients, mint),
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
