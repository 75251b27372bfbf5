import { after, before, describe } from 'node:test';
import {
  addClient,
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  type Service,
  startService,
} from './service.ts';
import { surroundings } from './surroundings.ts';

/** A service with a provider and a database behind it, as the conformance suite sees it. */
export interface Deployment {
  readonly service: Service;
  readonly database: DatabaseEngine;
  /** An access token by the client-credentials flow, as section 5.3 of the specification says. */
  accessToken(changes?: { audience?: string; scope?: string }): Promise<string>;
  readonly client: { readonly id: string; readonly secret: string };
}

type ProviderName = 'oauth2-mock-server' | 'oidc-provider';

/** Runs a suite against every provider and every database: any of them may replace the other. */
export function onEveryDeployment(suite: (deployment: () => Deployment) => void): void {
  for (const provider of ['oauth2-mock-server', 'oidc-provider'] as const) {
    for (const database of databaseEngines) {
      describe(`${provider} and ${database}`, () => {
        let deployment: Deployment;
        before(async () => {
          deployment = await deploy(provider, database);
        });
        after(() => deployment.service.stop());
        suite(() => deployment);
      });
    }
  }
}

async function deploy(provider: ProviderName, database: DatabaseEngine): Promise<Deployment> {
  const { mockOrigin, oidcOrigin } = surroundings();
  const origin = provider === 'oidc-provider' ? oidcOrigin : mockOrigin;
  const settings = await newSettings(database, { IDP_ORIGIN: origin, IDP_JWKS_PATH: '/jwks' });
  const client = { id: 'conformance-client', secret: await addClient(settings, 'conformance-client') };
  const service = await startService(settings);
  return { service, database, client, accessToken: (changes = {}) => accessToken(origin, changes) };
}

async function accessToken(origin: string, changes: { audience?: string; scope?: string }): Promise<string> {
  const { oidcClient, audience } = surroundings();
  const basic = Buffer.from(`${oidcClient.id}:${oidcClient.secret}`).toString('base64');
  const response = await fetch(`${origin}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      aud: changes.audience ?? audience,
      ...(changes.scope === undefined ? {} : { scope: changes.scope }),
    }),
  });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`The provider gave no token: ${JSON.stringify(body)}`);
  return body.access_token;
}
