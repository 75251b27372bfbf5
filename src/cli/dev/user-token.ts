import type { Provider } from 'oidc-provider';
import type { ApiResource } from './api-resource.ts';

/**
 * An access token for the API, as the frontend would get it once that user has signed in and allowed it these scopes. They
 * are all that the user has if there are none.
 */
export async function issueUserToken(
  provider: Provider,
  { identifier, describe, scopesOf }: ApiResource,
  clientId: string,
  accountId: string,
  scopes: readonly string[],
): Promise<string> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error(`The provider has no client "${clientId}".`);
  const resourceServer = new provider.ResourceServer(identifier, describe());
  const scope = (scopes.length > 0 ? scopes : scopesOf(accountId)).join(' ');
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
