import { scopesOf } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
import { withBrand } from '../frontend/brand.ts';
import { frontendContentPolicy, readBuiltFiles } from '../frontend/page.ts';

type FrontendSettings = Pick<Config, 'web' | 'webScopes' | 'providers' | 'dpop' | 'brand'>;

/** The scopes that give roles. A provider grants them to few users. */
function roleScopesOf(collections: readonly Collection[]): readonly string[] {
  const roles = collections.flatMap((collection) => Object.values(collection.roles));
  return roles.flatMap((role) => (role.kind === 'scope' ? [role.scope] : []));
}

/** The built frontend and its configuration. Null if none is served. `isDev`: a developer looks at it. */
export function readFrontend(config: FrontendSettings, collections: readonly Collection[], isDev: boolean) {
  if (config.web !== 'on') return null;
  const further = [...scopesOf(collections), ...roleScopesOf(collections), ...config.webScopes];
  const offered = config.providers.filter(({ webClientId }) => webClientId !== null);
  const providers = offered.map(({ name, title, issuers, audiences, requiredScopes, webClientId }) => {
    const scopes = [...new Set(['openid', 'profile', ...requiredScopes, ...further])];
    const audience = audiences[0] ?? '';
    return { name, title, issuer: issuers[0], audience, scopes, client_id: String(webClientId) };
  });
  // At most providers the token endpoint and the keys have the same origin.
  const origins = offered.flatMap(({ issuers, origin }) => [URL.parse(issuers[0])?.origin ?? origin, origin]);
  return {
    ...withBrand(readBuiltFiles(), config.brand),
    providers,
    dpop: config.dpop.page,
    ...(isDev && { dev: true as const }),
    contentPolicy: frontendContentPolicy(origins),
  };
}
