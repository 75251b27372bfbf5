import type { App } from '../../app.ts';
import { consumerPrefix, tokenPath } from '../../base/addresses.ts';
import type { Config } from '../../config/settings.ts';
import type { DevProvider } from './provider.ts';

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

interface WelcomeParts {
  readonly app: App;
  readonly provider: DevProvider;
  readonly config: Config;
  /** Gets tokens from the provider. */
  readonly machineClient: Credentials;
  /** Gets tokens from POST /token. */
  readonly client: Credentials;
}

/** What `vestibule dev` prints: what runs where, and lines to paste that work as they stand. */
export function welcome({ app, provider, config, machineClient, client }: WelcomeParts): string {
  return `
Vestibule runs, for development, on this machine only.

  Open       ${app.address}/

  service    ${app.address}
  provider   ${provider.origin}   (any user name; the password is "dev")
  health     ${app.opsAddress}/readyz   metrics ${app.opsAddress}/metrics
  audience   ${config.apiAudience}
  data       ${config.databaseUrl.engine === 'sqlite' ? config.databaseUrl.file : 'PostgreSQL'}

Come in with a token of the provider:

  TOKEN=$(curl -s -u ${machineClient.id}:${machineClient.secret} -d grant_type=client_credentials ${provider.origin}/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -i -H "Authorization: Bearer $TOKEN" ${app.address}${consumerPrefix}/me

Come in as a machine client of this service:

  TOKEN=$(curl -s -H 'Content-Type: application/json' -d '{"client_id":"${client.id}","client_secret":"${client.secret}"}' ${app.address}${tokenPath} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -i -H "Authorization: Bearer $TOKEN" ${app.address}${consumerPrefix}/me

For the other commands, such as "npx vestibule doctor", in another shell:

  export IDP_ORIGIN=${config.idpOrigin} IDP_JWKS_PATH=${config.idpJwksPath} API_AUDIENCE=${config.apiAudience} BASE_URL=${app.address} PORT=${config.port} OPS_PORT=${new URL(app.opsAddress).port}

Stop with Ctrl-C.

`;
}
