import type { IncomingMessage } from 'node:http';
import type { Interaction, InteractionResults, Provider } from 'oidc-provider';
import { signIn, suggestedUsers } from './accounts.ts';
import type { ApiResource } from './api-resource.ts';
import type { KoaContext } from './control.ts';
import { loginPage, messagePage, sendPage } from './pages.ts';

const prefix = '/interaction/';
const largestForm = 8192;

export function interactionPath(interaction: Interaction): string {
  return `${prefix}${interaction.uid}`;
}

/** Asks which user signs in. The scopes of the application are granted without a question: it is the developer's own. */
export function addInteractions(provider: Provider, api: ApiResource): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith(prefix)) return next();
    const interaction = await findInteraction(provider, ctx);
    if (interaction === null) {
      ctx.status = 400;
      const message = 'This sign-in has ended, or it took too long. Start it again from the application.';
      return sendPage(ctx, messagePage('This page has expired', message));
    }
    const isLogin = interaction.prompt.name === 'login';
    if (isLogin && ctx.method === 'GET') return showLogin(ctx, api, interaction);
    if (isLogin && ctx.method !== 'POST') return next();
    const result = isLogin
      ? submitLogin(ctx, api, interaction, await readForm(ctx.req))
      : await grantAll(provider, api, interaction);
    if (result === null) return;
    ctx.status = 303;
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  });
}

/** A browser sends the cookie of one interaction to the address of that interaction only; null without a cookie. */
async function findInteraction(provider: Provider, ctx: KoaContext): Promise<Interaction | null> {
  try {
    return await provider.interactionDetails(ctx.req, ctx.res);
  } catch (error) {
    if ((error as { expose?: unknown }).expose === true) return null;
    throw error;
  }
}

function showLogin(
  ctx: KoaContext,
  api: ApiResource,
  interaction: Interaction,
  userName?: string,
  problem: string | null = null,
): void {
  const hint = interaction.params.login_hint;
  const shownName = userName ?? (typeof hint === 'string' ? hint : '');
  const page = loginPage(shownName, problem, suggestedUsers(api.declaredUsers()));
  sendPage(ctx, page, interaction.params.redirect_uri);
}

/** The scopes of the API that the user does not have. */
function refusedScopes(api: ApiResource, accountId: string): ReadonlySet<string> {
  return new Set(api.describe().scope.split(' ')).difference(new Set(api.scopesOf(accountId)));
}

/** Null if the form was shown again, with the mistake. */
function submitLogin(
  ctx: KoaContext,
  api: ApiResource,
  interaction: Interaction,
  form: URLSearchParams,
): InteractionResults | null {
  const userName = form.get('user') ?? '';
  const outcome = signIn(userName, form.get('password') ?? '');
  if ('accountId' in outcome) return { login: { accountId: outcome.accountId } };
  ctx.status = 400;
  showLogin(ctx, api, interaction, userName, outcome.problem);
  return null;
}

/** The scopes, claims and resources that the current grant lacks. */
interface MissingGrants {
  readonly missingOIDCScope?: string[];
  readonly missingOIDCClaims?: string[];
  readonly missingResourceScopes?: Record<string, string[]>;
}

/** Grants the missing scopes that the user has. The session keeps the grant until the sign-out. */
async function grantAll(
  provider: Provider,
  api: ApiResource,
  interaction: Interaction,
): Promise<InteractionResults> {
  const { grantId, params, session } = interaction;
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant =
    known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params.client_id) });
  const missing: MissingGrants = interaction.prompt.details;
  if (missing.missingOIDCScope) grant.addOIDCScope(missing.missingOIDCScope);
  if (missing.missingOIDCClaims) grant.addOIDCClaims(missing.missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {})) {
    const refused = scopes.filter((scope) => refusedScopes(api, session?.accountId ?? '').has(scope));
    grant.addResourceScope(resource, scopes);
    // A rejected scope is not requested again, and is in no token.
    if (refused.length > 0) grant.rejectResourceScope(resource, refused);
  }
  return { consent: { grantId: await grant.save() } };
}

/** Reads to the end, but keeps no more than the longest form. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    if (text.length < largestForm) text += chunk;
  }
  return new URLSearchParams(text);
}
