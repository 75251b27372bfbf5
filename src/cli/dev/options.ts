/** What the development provider is started with. */
export interface DevProviderOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Whom access tokens are for. */
  readonly audience: string;
  /** What a token for the API may be allowed to do, besides using it at all. */
  readonly scopes?: readonly string[];
  /** Ten minutes, unless it says otherwise. */
  readonly accessTokenSeconds?: number;
  /** A program: client credentials, with the secret as HTTP Basic authentication. */
  readonly machineClient: { readonly id: string; readonly secret: string };
  /** A frontend: no secret, authorization code with PKCE. */
  readonly webClient: {
    readonly id: string;
    readonly redirectUris: readonly string[];
    readonly postLogoutRedirectUris: readonly string[];
    /** Given unless it says `false`; a frontend without one has to come back with prompt=none. */
    readonly refreshTokens?: boolean;
  };
}
