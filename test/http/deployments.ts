import { after, before, describe } from 'node:test';
import { part, surroundings } from '../support/run/surroundings.ts';
import {
  addClient,
  type DatabaseEngine,
  newSettings,
  type Service,
  startService,
} from '../support/services/service.ts';

/** A service with a provider and a database behind it, as the conformance suite sees it. */
export interface Deployment {
  readonly service: Service;
  readonly database: DatabaseEngine;
  /** The origin of the provider, which is also the issuer in its tokens. */
  readonly issuer: string;
  /** An access token by the client-credentials flow, as section 5.3 of the specification says. */
  accessToken(): Promise<string>;
  /** An access token of a provider that this service does not trust. */
  foreignToken(): Promise<string>;
  readonly client: { readonly id: string; readonly secret: string };
}

/** The scope of every access token; both providers grant it. */
export const grantedScope = 'consumer';

type ProviderName = 'oauth2-mock-server' | 'oidc-provider';

/** No code of the service depends on both provider and database, so two pairs cover all four. */
const pairs: readonly (readonly [ProviderName, DatabaseEngine])[] = [
  ['oauth2-mock-server', 'sqlite'],
  ['oidc-provider', 'postgres'],
];

/** Runs a suite against every provider and every database. */
export function onEveryDeployment(suite: (deployment: () => Deployment) => void): void {
  for (const [provider, database] of pairs)
    describe(`${provider} and ${database}`, () => {
      let deployment: Deployment | undefined;
      before(async () => {
        deployment = await deploy(provider, database);
      });
      after(() => deployment?.service.stop());
      suite(() => deployment as Deployment);
    });
}

async function deploy(provider: ProviderName, database: DatabaseEngine): Promise<Deployment> {
  const { mockOrigin, oidcOrigin } = await part('providers');
  const [issuer, other] =
    provider === 'oidc-provider' ? ([oidcOrigin, mockOrigin] as const) : ([mockOrigin, oidcOrigin] as const);
  const settings = await newSettings(database, {
    IDP_ORIGIN: issuer,
    IDP_JWKS_PATH: '/jwks',
    TOKEN_SIGNING_ALG: 'RS256',
    // The suite tries many wrong credentials in a row.
    REFUSALS_PER_MINUTE: '40000',
  });
  const client = { id: 'conformance-client', secret: await addClient(settings, 'conformance-client') };
  const service = await startService(settings);
  return {
    service,
    database,
    issuer,
    client,
    accessToken: () => clientCredentials(issuer),
    foreignToken: () => clientCredentials(other),
  };
}

async function clientCredentials(origin: string): Promise<string> {
  const { oidcClient } = await part('providers');
  const { audience } = surroundings();
  const basic = Buffer.from(`${oidcClient.id}:${oidcClient.secret}`).toString('base64');
  const response = await fetch(`${origin}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    // The mock copies the audience into the token; the real provider knows its API.
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      aud: audience,
      scope: grantedScope,
    }),
  });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`The provider gave no token: ${JSON.stringify(body)}`);
  return body.access_token;
}
