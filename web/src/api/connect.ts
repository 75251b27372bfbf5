import { Declined, Unreachable } from '../session/provider.ts';
import type { Session } from '../session/session.ts';
import { type Api, type Collections, createClient, Problem } from './client.ts';

/**
 * The API in the name of whoever is signed in. Every call is sent once: who looks at the page is told what is wrong,
 * and decides whether to try again. Where nobody has pressed anything the page is not left to renew the token.
 */
export function connect(session: Session, mayLeave: boolean): Api {
  const token = (expired?: string) =>
    (expired ? session.renew(expired, mayLeave) : session.accessToken(mayLeave)).catch(sayWhose);
  return createClient<Collections>({ url: location.origin, token, repeats: false, fetch: session.fetch });
}

function sayWhose(error: unknown): never {
  if (!(error instanceof Unreachable || error instanceof Declined)) throw error;
  const title = 'The token has to be renewed, and the provider does not answer.';
  throw new Problem(0, { code: 'provider_unreachable', title }, error);
}
