import { isDpop } from '../base/dpop-scheme.ts';
import { Refusal } from '../base/errors.ts';
import type { TokenOrigin } from './signature-queue.ts';
import { type Digest, digestOf, type Timed, type TokenCache } from './token-cache.ts';

/** The caller behind an Authorization header; at once when the very same was verified before. */
export type Authenticate<Caller, Origin extends TokenOrigin = TokenOrigin> = (
  authorization: string | undefined,
  origin: Origin,
) => Caller | Promise<Caller>;

/** What it takes to use a token besides having it. */
export interface Possession<Caller, Origin> {
  /** Throws when the token is worth nothing as a bearer token. */
  checkBearer(caller: Caller, origin: Origin): void;
  /** Rejects when the request does not prove that its sender has the key of the token; null where no proofs are taken. */
  readonly checkProof: ((caller: Caller, token: Digest, origin: Origin) => Promise<void>) | null;
}

const bearerScheme = /^bearer(?:\s|$)/i;
const laterBearer = /,\s*bearer(?:\s|$)/i;
const bearerForm = /^Bearer [A-Za-z0-9._~+/-]+=*$/;
const usualStart = 'Bearer ';
const anyStart = /^bearer /i;

const dpopForm = /^dpop [A-Za-z0-9._~+/-]+=*$/i;
const dpopStart = 'DPoP ';

/**
 * Tokens come in the Authorization header only: never in the query, a form or a cookie. Two such headers reach us
 * joined by a comma (whoever calls this sees to it), and that is no form of credentials. `checkStanding` throws for whom
 * the operator shut out. Where no proofs are taken there are only bearer tokens, and no scheme but theirs.
 */
export function createAuthenticate<Caller extends Timed, Origin extends TokenOrigin = TokenOrigin>(
  cache: Pick<TokenCache<Caller>, 'recall' | 'recallBy' | 'examine'>,
  checkStanding: (caller: Caller) => void | Promise<void>,
  possession: Possession<Caller, Origin> | null = null,
): Authenticate<Caller, Origin> {
  const admit = (caller: Caller): Caller | Promise<Caller> => {
    const verdict = checkStanding(caller);
    return verdict === undefined ? caller : verdict.then(() => caller);
  };
  const admitBearer = (caller: Caller, origin: Origin): Caller | Promise<Caller> => {
    possession?.checkBearer(caller, origin);
    return admit(caller);
  };
  /** A token is remembered by what its proofs call it (`ath`), so that it is digested once. */
  const byProof = async (
    checkProof: NonNullable<Possession<Caller, Origin>['checkProof']>,
    authorization: string,
    origin: Origin,
  ) => {
    if (!dpopForm.test(authorization)) throw new Refusal('authorization_malformed');
    const token = authorization.slice(dpopStart.length);
    const digest = digestOf(token);
    const known = cache.recallBy(digest);
    const caller = typeof known === 'string' ? await cache.examine(digest, token, origin) : known;
    await checkProof(caller, digest, origin);
    return admit(caller);
  };
  const checkProof = possession?.checkProof ?? null;
  return (authorization, origin) => {
    if (checkProof !== null && isDpop(authorization)) return byProof(checkProof, authorization, origin);
    const credentials = asBearer(authorization);
    const known = cache.recall(credentials);
    if (typeof known !== 'string') return admitBearer(known, origin);
    // Only now, because a header that was seen before has the right form.
    if (!bearerForm.test(credentials)) throw new Refusal('authorization_malformed');
    const token = credentials.slice(usualStart.length);
    return cache.examine(known, token, origin).then((caller) => admitBearer(caller, origin));
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
