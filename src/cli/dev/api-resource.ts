import type { ResourceServer } from 'oidc-provider';
import type { DevUsers } from './users.ts';

export interface ApiOptions {
  readonly audience: string;
  /** The scopes that a token for the API may have. Read for each token: declarations change. */
  readonly scopes?: () => readonly string[];
  /** The users with other scopes. Read for each token: the file changes. */
  readonly users?: () => DevUsers;
  /** The lifetime of tokens (default: ten minutes). */
  readonly accessTokenSeconds?: number;
}

/** The scope for using the API at all. The scopes of OpenID Connect are not for the API. */
const apiScope = 'consumer';

export type ApiResource = ReturnType<typeof apiResource>;

/** The API as a resource of the provider: the audience of its access tokens. */
export function apiResource(options: ApiOptions) {
  const { audience, scopes = () => [], users = () => new Map() } = options;
  const { accessTokenSeconds = 600 } = options;
  const usual = () => [apiScope, ...scopes()];
  // An audience may be any text; a resource must be a URI without a fragment.
  const isUri = URL.canParse(audience) && !audience.includes('#');
  return {
    identifier: isUri ? audience : `urn:audience:${encodeURIComponent(audience)}`,
    accessTokenSeconds,
    describe: (): ResourceServer => ({
      audience,
      scope: [...new Set([...usual(), ...[...users().values()].flat()])].join(' '),
      accessTokenFormat: 'jwt',
      accessTokenTTL: accessTokenSeconds,
      jwt: { sign: { alg: 'RS256' } },
    }),
    declaredUsers: () => users().keys(),
    scopesOf(accountId: string): readonly string[] {
      const own = users().get(accountId);
      return own === undefined ? usual() : [apiScope, ...own];
    },
  };
}
