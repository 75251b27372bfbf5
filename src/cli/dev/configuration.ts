import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { ClientMetadata, Configuration, JWK } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { accountOf } from './accounts.ts';
import type { ApiOptions, ApiResource } from './api-resource.ts';
import { interactionPath } from './interactions.ts';
import { logoutPage, messagePage, sendPage, unknownHome } from './pages.ts';

export interface DevProviderOptions extends ApiOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** A machine client: client credentials, with the secret as HTTP Basic authentication. */
  readonly machineClient?: { readonly id: string; readonly secret: string };
  /** A frontend: no secret, authorization code with PKCE. */
  readonly webClient: {
    readonly id: string;
    readonly redirectUris: readonly string[];
    readonly postLogoutRedirectUris: readonly string[];
    /** Refresh tokens are issued unless this is `false`; a frontend without one has to return with prompt=none. */
    readonly refreshTokens?: boolean;
    /** Where the provider reports sign-outs (OpenID Connect Back-Channel Logout). */
    readonly logoutUri?: string;
  };
  /** The secret with which other commands may request tokens of users. */
  readonly controlSecret?: string;
}

const hour = 3600;
const twoWeeks = 14 * 24 * hour;

/** Keys for one run: tokens of an earlier run are never accepted. */
export async function createSigningKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), alg: 'RS256', use: 'sig' };
}

export function createConfiguration(
  options: DevProviderOptions,
  api: ApiResource,
  signingKey: JWK,
): Configuration {
  const { machineClient } = options;
  return {
    // The default, set explicitly: otherwise oidc-provider prints a warning at every start.
    adapter: createMemoryAdapter(),
    clients: [...(machineClient ? [programClient(machineClient)] : []), webClient(options)],
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    routes: { userinfo: '/userinfo' },
    responseTypes: ['code'],
    claims: { openid: ['sub'], profile: ['name', 'picture'], email: ['email', 'email_verified'] },
    findAccount: (ctx, accountId) => accountOf(accountId, ctx.oidc.issuer),
    interactions: { url: (_ctx, interaction) => interactionPath(interaction) },
    clientBasedCORS: (_ctx, origin, client) =>
      client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) ?? false,
    // Refresh tokens are also issued without `offline_access`, which needs prompt=consent; such a token ends with the
    // session. Otherwise a page that returns with prompt=none would get none, and no token for /userinfo.
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    fetch: callLoopback,
    // Access tokens name their session, so that its end does not affect tokens of other sessions.
    extraTokenClaims: (_ctx, token) => ('sid' in token ? { sid: token.sid } : undefined),
    ttl: {
      AccessToken: api.accessTokenSeconds,
      ClientCredentials: api.accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: hour,
      Interaction: hour,
      Session: twoWeeks,
      Grant: twoWeeks,
      RefreshToken: twoWeeks,
    },
    renderError: (ctx, { error, error_description }) => {
      const message =
        error === 'invalid_redirect_uri'
          ? unknownHome(ctx.oidc.params?.redirect_uri)
          : `${error_description ?? 'Something went wrong'} (${error}).`;
      sendPage(ctx, messagePage('The request failed', message));
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      backchannelLogout: { enabled: options.webClient.logoutUri !== undefined },
      // A request with a proof gets a token bound to its key; every other request, and "dev token", gets a bearer token.
      dPoP: { enabled: true },
      resourceIndicators: apiByDefault(api),
      rpInitiatedLogout: {
        logoutSource: (ctx, form) => {
          sendPage(ctx, logoutPage(form), ctx.oidc.params?.post_logout_redirect_uri);
        },
        postLogoutSuccessSource: (ctx) => {
          sendPage(ctx, messagePage('You are signed out', 'You may close this page.'));
        },
      },
    },
  };
}

/** The service is on loopback, to which oidc-provider sends nothing by default: its dispatcher refuses loopback. */
function callLoopback(url: string | URL | Request, options: object = {}): Promise<Response> {
  return globalThis.fetch(url, { ...options, dispatcher: undefined } as unknown as RequestInit);
}

function programClient({ id, secret }: NonNullable<DevProviderOptions['machineClient']>): ClientMetadata {
  return {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  };
}

/** A frontend has no secret; PKCE, which the provider requires from such clients, replaces it. */
function webClient({
  webClient: { id, redirectUris, postLogoutRedirectUris, refreshTokens = true, logoutUri },
}: DevProviderOptions): ClientMetadata {
  return {
    client_id: id,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', ...(refreshTokens ? ['refresh_token'] : [])],
    response_types: ['code'],
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...postLogoutRedirectUris],
    ...(logoutUri === undefined
      ? {}
      : { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true }),
  };
}

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>;

/** Access tokens are JWTs for the API, unless a refresh requests only other scopes: that token is for /userinfo alone. */
function apiByDefault({ identifier, describe }: ApiResource): ResourceIndicators {
  return {
    enabled: true,
    defaultResource: () => identifier,
    useGrantedResource: (ctx) => {
      const scope = ctx.oidc.params?.scope;
      if (typeof scope !== 'string') return true;
      const ofApi = describe().scope.split(' ');
      return scope.split(' ').some((one) => ofApi.includes(one));
    },
    getResourceServerInfo: (_ctx, resource) => {
      if (resource !== identifier) throw new InvalidTarget();
      return describe();
    },
  };
}
