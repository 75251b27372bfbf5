/** What the development provider is started with. */
export interface DevProviderOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Whom access tokens are for. */
  readonly audience: string;
  /** A program: client credentials, with the secret as HTTP Basic authentication. */
  readonly machineClient: { readonly id: string; readonly secret: string };
  /** A frontend: no secret, authorization code with PKCE, refresh tokens. */
  readonly webClient: {
    readonly id: string;
    readonly redirectUris: readonly string[];
    readonly postLogoutRedirectUris: readonly string[];
  };
}
