import type { ResourceServer } from 'oidc-provider';
import type { DevUsers } from './users.ts';

export interface ApiOptions {
  readonly audience: string;
  /** What a token for the API may be allowed to do, besides using it at all. Asked for each time: declarations change. */
  readonly scopes?: () => readonly string[];
  /** The users who do not have all of them. Asked for each time: the file changes. */
  readonly users?: () => DevUsers;
  /** Ten minutes, unless it says otherwise. */
  readonly accessTokenSeconds?: number;
}

export const usualTokenSeconds = 600;

/** The scope of users who may use the API at all. The scopes of OpenID Connect are not for it. */
const apiScope = 'consumer';

/** The API, as the provider knows it: what its access tokens are for. */
export interface ApiResource {
  readonly identifier: string;
  describe(): ResourceServer;
  declaredUsers(): Iterable<string>;
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
