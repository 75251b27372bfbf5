import type { Provider } from 'oidc-provider';
import type { ApiResource } from './configuration.ts';

/** An access token for the API, as the frontend would get it once that user has signed in and allowed it everything. */
export async function issueUserToken(
  provider: Provider,
  { identifier, describe }: ApiResource,
  clientId: string,
  accountId: string,
): Promise<string> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error(`The provider has no client "${clientId}".`);
  const resourceServer = new provider.ResourceServer(identifier, describe());
  const { scope } = resourceServer;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addResourceScope(identifier, scope);
  const grantId = await grant.save();
  // The resource says for whom the token is, how long it lives and how it is signed.
  return new provider.AccessToken({
    client,
    accountId,
    grantId,
    gty: 'authorization_code',
    scope,
    resourceServer,
  }).save();
}
