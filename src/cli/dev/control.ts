import { timingSafeEqual } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { devPassword, signIn } from './accounts.ts';
import { controlPath } from './running.ts';

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

export interface Control {
  /** In a file that only the user who started `dev` can read. */
  readonly secret: string;
  issue(accountId: string): Promise<string>;
}

/** What the other commands ask a running `dev`: whether it is the one they take it for, and for the token of a user. */
export function addControl(provider: Provider, { secret, issue }: Control): void {
  const expected = Buffer.from(`Bearer ${secret}`);
  const isAllowed = (ctx: Context) => {
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
    else if (isToken) await answerWithToken(ctx, issue);
  });
}

async function answerWithToken(ctx: Context, issue: Control['issue']): Promise<void> {
  const { user } = ctx.query;
  const outcome = signIn(typeof user === 'string' ? user : '', devPassword);
  if ('problem' in outcome) ctx.status = 400;
  ctx.body = 'problem' in outcome ? outcome.problem : await issue(outcome.accountId);
}
