import type { TokenOrigin } from '../auth/signature-queue.ts';
import type { TokenCache } from '../auth/token-cache.ts';
import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';

/** The caller behind an Authorization header; at once when the very same was verified before. */
export type Authenticate = (
  authorization: string | undefined,
  origin: TokenOrigin,
) => Caller | Promise<Caller>;

const bearerScheme = /^bearer(?:\s|$)/i;
const laterBearer = /,\s*bearer(?:\s|$)/i;
const bearerForm = /^Bearer [A-Za-z0-9._~+/-]+=*$/;
const usualStart = 'Bearer ';
const anyStart = /^bearer /i;

/**
 * Tokens come in the Authorization header only: never in the query, a form or a cookie. Two such headers reach us
 * joined by a comma (see http/limits), and that is no bearer form. `checkStanding` throws for whom the operator shut out.
 */
export function createAuthenticate(
  cache: Pick<TokenCache, 'recall' | 'examine'>,
  checkStanding: (caller: Caller) => void | Promise<void>,
): Authenticate {
  const admit = (caller: Caller): Caller | Promise<Caller> => {
    const verdict = checkStanding(caller);
    return verdict === undefined ? caller : verdict.then(() => caller);
  };
  return (authorization, origin) => {
    const credentials = asBearer(authorization);
    const known = cache.recall(credentials);
    if (typeof known !== 'string') return admit(known);
    // Only now, because a header that was seen before has the right form.
    if (!bearerForm.test(credentials)) throw new Refusal('authorization_malformed');
    const token = credentials.slice(usualStart.length);
    return cache.examine(known, token, origin).then(admit);
  };
}

/** The header with the scheme spelled the usual way, so that a token is remembered under one name only. */
function asBearer(authorization: string | undefined): string {
  if (authorization?.startsWith(usualStart)) return authorization;
  if (authorization === undefined || !anyStart.test(authorization)) throw withoutToken(authorization);
  return `${usualStart}${authorization.slice(usualStart.length)}`;
}

/** A caller who knows no bearer scheme is told of it, and not that it made a mistake (RFC 6750 section 3.1). */
function withoutToken(authorization = ''): Refusal {
  const triedBearer = bearerScheme.test(authorization) || laterBearer.test(authorization);
  return new Refusal(triedBearer ? 'authorization_malformed' : 'token_missing');
}
