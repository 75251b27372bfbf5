import type { ResourceServer } from 'oidc-provider';
import type { DevUsers } from './users.ts';

/** What the development provider is told about the API. */
export interface ApiOptions {
  readonly audience: string;
  /** The scopes of the collections. A function, because declarations change. */
  readonly scopes?: () => readonly string[];
  /** The users who do not have all scopes. A function, because the file changes. */
  readonly users?: () => DevUsers;
  readonly accessTokenSeconds?: number;
}

export const usualTokenSeconds = 600;

/** The scope that every user of the API has. */
const apiScope = 'consumer';

/** The API, as the provider knows it: what its access tokens are for. */
export interface ApiResource {
  readonly identifier: string;
  describe(): ResourceServer;
  /** Users whose scopes are declared. */
  declaredUsers(): Iterable<string>;
  /** The scopes that a token of this user may have. */
  scopesOf(accountId: string): readonly string[];
}

export function apiResource(options: ApiOptions): ApiResource {
  const { audience, scopes = () => [], users = () => new Map() } = options;
  const { accessTokenSeconds = usualTokenSeconds } = options;
  const all = () => [...new Set([apiScope, ...scopes(), ...[...users().values()].flat()])];
  // An audience may be any text, a resource must be a URI without a fragment.
  const isUri = URL.canParse(audience) && !audience.includes('#');
  return {
    identifier: isUri ? audience : `urn:audience:${encodeURIComponent(audience)}`,
    describe: () => ({
      audience,
      scope: all().join(' '),
      accessTokenFormat: 'jwt',
      accessTokenTTL: accessTokenSeconds,
      jwt: { sign: { alg: 'RS256' } },
    }),
    declaredUsers: () => users().keys(),
    scopesOf(accountId) {
      const own = users().get(accountId);
      return own === undefined ? all() : [apiScope, ...own];
    },
  };
}
