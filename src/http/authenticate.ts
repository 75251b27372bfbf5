import type { Recognise } from '../auth/token-cache.ts';
import { chain } from '../base/chain.ts';
import { Refusal } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';

/** The caller behind an Authorization header; at once when its token was seen before. */
export type Authenticate = (
  authorization: string | undefined,
  isSuspicious: () => boolean,
) => Principal | Promise<Principal>;

const bearerScheme = /^bearer(?:\s|$)/i;
const bearerForm = /^bearer [A-Za-z0-9._~+/-]+=*$/i;
const usualStart = 'Bearer ';
const anyStart = /^bearer /i;

/**
 * Tokens come in the Authorization header only: never in the query, a form or a cookie. Two such headers reach us
 * joined by a comma (see http/limits), and that is no bearer form. `checkStanding` throws for whom the operator shut out.
 */
export function createAuthenticate(
  recognise: Recognise,
  checkStanding: (principal: Principal) => void | Promise<void>,
): Authenticate {
  const admit = (principal: Principal) => chain(checkStanding(principal), () => principal);
  return (authorization, isSuspicious) => {
    const isBearer = authorization?.startsWith(usualStart) || anyStart.test(authorization ?? '');
    if (authorization === undefined || !isBearer) throw withoutToken(authorization);
    // The form is looked at only when the header was never seen: one that was seen has it.
    const open = () => {
      if (!bearerForm.test(authorization)) throw new Refusal('authorization_malformed');
      return { token: authorization.slice(usualStart.length), suspicious: isSuspicious() };
    };
    return chain(recognise(authorization, open), admit);
  };
}

/** A caller who knows no bearer scheme is told of it, and not that it made a mistake (RFC 6750 section 3.1). */
function withoutToken(authorization = ''): Refusal {
  const triedBearer = bearerScheme.test(authorization) || authorization.includes(',');
  return new Refusal(triedBearer ? 'authorization_malformed' : 'token_missing');
}
