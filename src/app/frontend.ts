import { scopesOf } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
import { frontendContentPolicy, readBuiltFiles } from '../frontend/page.ts';

/** The built frontend and its configuration. Null if none is served. */
export function readFrontend(config: Config, collections: readonly Collection[]) {
  if (config.web !== 'on') return null;
  const further = [...scopesOf(collections), ...config.webScopes];
  const offered = config.providers.flatMap((provider) => {
    const { webClientId: clientId } = provider;
    return clientId === null ? [] : [{ ...provider, clientId }];
  });
  const providers = offered.map(({ name, title, issuers, clientId, audiences, requiredScopes }) => {
    const scopes = new Set(['openid', 'profile', ...requiredScopes, ...further]);
    return { name, title, issuer: issuers[0], clientId, audience: audiences[0] ?? '', scopes: [...scopes] };
  });
  // At most providers the token endpoint and the keys have the same origin.
  const origins = offered.flatMap(({ issuers, origin }) => [URL.parse(issuers[0])?.origin ?? origin, origin]);
  return {
    files: readBuiltFiles(),
    providers,
    dpop: config.dpop.page,
    contentPolicy: frontendContentPolicy(origins),
  };
}
