import { Declined, Unreachable } from '../session/provider.ts';
import type { Session } from '../session/session.ts';
import { type Api, type Collections, createClient, Problem } from './client.ts';

/**
 * The API with the token of the person who is signed in. Each call is sent once: the page shows the problem, and the person
 * decides whether to try again. `mayLeave`: the page may go to the provider to renew the token.
 */
export function connect(session: Session, mayLeave: boolean): Api {
  const token = (expired?: string) =>
    (expired ? session.renew(expired, mayLeave) : session.accessToken(mayLeave)).catch(sayWhose);
  return createClient<Collections>({ url: location.origin, token, repeats: false, fetch: session.fetch });
}

function sayWhose(error: unknown): never {
  if (!(error instanceof Unreachable || error instanceof Declined)) throw error;
  const title = 'The token must be renewed, and the provider does not answer.';
  throw new Problem(0, { code: 'provider_unreachable', title }, error);
}
