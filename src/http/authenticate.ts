import type { Recognise } from '../auth/token-cache.ts';
import { chain } from '../base/chain.ts';
import { Refusal } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';

/** The caller behind an Authorization header; at once when its token was seen before. */
export type Authenticate = (
  authorization: string | undefined,
  isSuspicious: () => boolean,
) => Principal | Promise<Principal>;

const bearerStart = /^bearer /i;
const bearerScheme = /^bearer(?:\s|$)/i;
const bearerForm = /^bearer [A-Za-z0-9._~+/-]+=*$/i;
const tokenStart = 'Bearer '.length;

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
    if (authorization === undefined || !bearerStart.test(authorization)) throw withoutToken(authorization);
    // The form is looked at only when the token was never seen: a token that was seen has it.
    const beforeExamining = () => {
      if (!bearerForm.test(authorization)) throw new Refusal('authorization_malformed');
      return isSuspicious();
    };
    return chain(recognise(authorization.slice(tokenStart), beforeExamining), admit);
  };
}

/** A caller who knows no bearer scheme is told of it, and not that it made a mistake (RFC 6750 section 3.1). */
function withoutToken(authorization = ''): Refusal {
  const triedBearer = bearerScheme.test(authorization) || authorization.includes(',');
  return new Refusal(triedBearer ? 'authorization_malformed' : 'token_missing');
}
