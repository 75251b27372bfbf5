import type { Verify } from '../auth/verifier.ts';
import { Refusal } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';

const bearerForm = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const bearerScheme = /^bearer(?![^\s])/i;

/**
 * The caller behind an Authorization header. Tokens come in this header only: never in the query, a form or a
 * cookie. Two such headers reach us joined by a comma (see http/server), and that is no bearer form.
 */
export function createAuthenticate(verify: Verify) {
  return (authorization: string | undefined): Promise<Principal> => {
    const token = authorization === undefined ? undefined : bearerForm.exec(authorization)?.[1];
    if (token !== undefined) return verify(token);
    // A caller who knows no bearer scheme is told of it, and not that it made a mistake (RFC 6750 section 3.1).
    const triedBearer = authorization !== undefined && bearerScheme.test(authorization);
    throw new Refusal(
      triedBearer || authorization?.includes(',') ? 'authorization_malformed' : 'token_missing',
    );
  };
}
