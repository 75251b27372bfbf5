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
    const form = isLogin ? await readForm(ctx.req) : null;
    const userName = form?.get('user') ?? '';
    const outcome = form && signIn(userName, form.get('password') ?? '');
    if (outcome && 'problem' in outcome) {
      ctx.status = 400;
      return showLogin(ctx, api, interaction, userName, outcome.problem);
    }
    const result = outcome ? { login: outcome } : await grantAll(provider, api, interaction);
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

/** What the current grant lacks. */
type MissingGrants = Partial<Record<'missingOIDCScope' | 'missingOIDCClaims', string[]>> & {
  readonly missingResourceScopes?: Record<string, string[]>;
};

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
  const own = api.scopesOf(session?.accountId ?? '');
  const others = new Set(api.describe().scope.split(' ')).difference(new Set(own));
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {})) {
    const refused = scopes.filter((scope) => others.has(scope));
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
