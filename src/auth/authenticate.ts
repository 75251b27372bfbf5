import { isDpop } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { RequestOrigin } from '../base/request-origin.ts';
import { type Digest, digestOf, type Timed, type TokenCache } from './token-cache.ts';

/** The caller behind an Authorization header; at once when the very same was verified before. */
export type Authenticate<Caller, Origin extends RequestOrigin = RequestOrigin> = (
  authorization: string | undefined,
  origin: Origin,
) => Caller | Promise<Caller>;

/** Proof of possession: how the sender of a bound token shows that it has the token's key. */
export interface Possession<Caller, Origin> {
  /** Throws when the token is bound to a key, so that it cannot be sent as a bearer token. */
  checkBearer(caller: Caller): void;
  /** Rejects when the request does not prove that its sender has the key of the token. */
  checkProof(caller: Caller, token: Digest, origin: Origin): Promise<void>;
}

const bearerScheme = /^bearer(?:\s|$)/i;
const laterBearer = /,\s*bearer(?:\s|$)/i;
const usualStart = 'Bearer ';
const bearerStart = /^bearer /i;

const dpopStart = /^dpop /i;

const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Tokens come in the Authorization header only: never in the query, a form or a cookie. Two such headers reach us
 * joined by a comma (whoever calls this sees to it), and that is no form of credentials. `checkStanding` throws for whom
 * the operator shut out. Where no proofs are taken there are only bearer tokens, and no scheme but theirs.
 */
export function createAuthenticate<Caller extends Timed, Origin extends RequestOrigin = RequestOrigin>(
  cache: Pick<TokenCache<Caller>, 'recall' | 'examine'>,
  checkStanding: (caller: Caller) => void | Promise<void>,
  possession: Possession<Caller, Origin> | null = null,
): Authenticate<Caller, Origin> {
  const admit = (caller: Caller): Caller | Promise<Caller> => {
    const verdict = checkStanding(caller);
    return verdict === undefined ? caller : verdict.then(() => caller);
  };
  const admitBearer = (caller: Caller): Caller | Promise<Caller> => {
    possession?.checkBearer(caller);
    return admit(caller);
  };
  /** A token that is remembered has the right form, so that only others are looked at. */
  const examine = (digest: Digest, token: string, origin: Origin): Promise<Caller> => {
    if (!tokenForm.test(token)) throw new Refusal('authorization_malformed');
    return cache.examine(digest, token, origin);
  };
  /** A token is remembered by what its proofs call it (`ath`), so that it is digested once. */
  const byProof = async ({ checkProof }: Possession<Caller, Origin>, token: string, origin: Origin) => {
    const digest = digestOf(token);
    const caller = cache.recall(digest) ?? (await examine(digest, token, origin));
    await checkProof(caller, digest, origin);
    return admit(caller);
  };
  return (authorization, origin) => {
    if (possession !== null && isDpop(authorization))
      return byProof(possession, boundToken(authorization), origin);
    const token = bearerToken(authorization);
    const digest = digestOf(token);
    const known = cache.recall(digest);
    if (known !== undefined) return admitBearer(known);
    return examine(digest, token, origin).then(admitBearer);
  };
}

function boundToken(authorization: string): string {
  if (!dpopStart.test(authorization)) throw new Refusal('authorization_malformed');
  return authorization.slice('DPoP '.length);
}

function bearerToken(authorization: string | undefined): string {
  const isUsual = authorization?.startsWith(usualStart) === true;
  if (authorization === undefined || !(isUsual || bearerStart.test(authorization)))
    throw withoutToken(authorization);
  return authorization.slice(usualStart.length);
}

/** A caller who knows no bearer scheme is told of it, and not that it made a mistake (RFC 6750 section 3.1). */
function withoutToken(authorization = ''): Refusal {
  const triedBearer = bearerScheme.test(authorization) || laterBearer.test(authorization);
  return new Refusal(triedBearer ? 'authorization_malformed' : 'token_missing');
}
