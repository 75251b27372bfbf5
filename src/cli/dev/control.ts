import { timingSafeEqual } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { devPassword, signIn } from './accounts.ts';
import type { ApiResource } from './api-resource.ts';
import { usersFile } from './environment.ts';
import { controlPath } from './running.ts';

export type KoaContext = Parameters<Parameters<Provider['use']>[0]>[0];

/**
 * The requests of other commands to a running `dev`: its identity, and the token of a user. Only the user who started `dev`
 * can read the file with the secret.
 */
export function addControl(provider: Provider, api: ApiResource, clientId: string, secret: string): void {
  const expected = Buffer.from(`Bearer ${secret}`);
  const isAllowed = (ctx: KoaContext) => {
    const sent = Buffer.from(ctx.get('authorization'));
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  };
  provider.use(async (ctx, next) => {
    const isToken = ctx.method === 'POST' && ctx.path === `${controlPath}/token`;
    const isQuestion = ctx.method === 'GET' && ctx.path === controlPath;
    if (!(isToken || isQuestion)) return next();
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'text/plain';
    ctx.status = isQuestion ? 204 : 200;
    if (!isAllowed(ctx)) ctx.status = 403;
    else if (isToken) {
      const wanted = new URLSearchParams(ctx.querystring);
      const scopes = wanted.getAll('scope');
      const outcome = signIn(wanted.get('user') ?? '', devPassword);
      const problem =
        'problem' in outcome ? outcome.problem : missingScopes(scopes, api.scopesOf(outcome.accountId));
      if (problem !== null) ctx.status = 400;
      ctx.body =
        'accountId' in outcome && problem === null
          ? await issueUserToken(provider, api, clientId, outcome.accountId, scopes)
          : problem;
    }
  });
}

/** Null if the user has all requested scopes. */
function missingScopes(wanted: readonly string[], scopes: readonly string[]): string | null {
  const missing = wanted.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  return `The user does not have ${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(' ')}. The scopes of the user are: ${scopes.join(' ')}. The file "${usersFile}" and the collections define them.`;
}

/** An access token for the API, as a frontend gets it after the sign-in; without `scopes` with all scopes of the user. */
async function issueUserToken(
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
  // The resource determines the audience, the lifetime and the signature.
  return new provider.AccessToken({
    client,
    accountId,
    grantId,
    gty: 'authorization_code',
    scope,
    resourceServer,
  }).save();
}
