/** As much of simple-oauth2 as the tests use; it comes without types of its own. */
declare module 'simple-oauth2' {
  interface ClientCredentialsOptions {
    readonly client: { readonly id: string; readonly secret: string };
    readonly auth: { readonly tokenHost: string; readonly tokenPath: string };
    readonly options?: { readonly authorizationMethod: 'header' | 'body' };
  }

  interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>;
    expired(): boolean;
  }

  export class ClientCredentials {
    constructor(options: ClientCredentialsOptions);
    getToken(params: { readonly scope?: readonly string[] }): Promise<AccessToken>;
  }
}
