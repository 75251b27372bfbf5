import type { Verified } from '../../../src/auth/verifier.ts';
import type { TokenTimes } from '../../../src/base/caller.ts';
import type { JsonObject } from '../../../src/base/strict-json.ts';

/** The caller of a verified token. The same object for every request with the same token, so it is frozen. */
export interface Caller {
  /** The token's `sub`, or null when it has none. */
  readonly subject: string | null;
  /** `client` for a token of the client-credentials grant, which has no user. */
  readonly kind: 'user' | 'client';
  readonly issuer: string;
  /** The accepted audience that the token names; null if you accept every audience. */
  readonly audience: string | null;
  readonly scopes: readonly string[];
  readonly times: TokenTimes;
  /** All claims of the token, as they are. */
  readonly claims: JsonObject;
}

export function toCaller({ claims, payload }: Verified): Caller {
  const { subject, kind, issuer, audience, scopes, times } = claims;
  return freeze({ subject, kind, issuer, audience, scopes: [...scopes], times, claims: payload });
}

/** All the way down: a handler that changes what it was given would change it for the next request. */
function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  return Object.freeze(value);
}

/** The object on which an adapter stores the caller of a request. */
interface Holder {
  caller?: Caller;
}

export function setCaller(holder: object, caller: Caller): void {
  (holder as Holder).caller = caller;
}

/** The caller of a request that came past `protect`. */
export function requireCaller(caller: unknown): Caller {
  if (caller === undefined)
    throw new Error(
      'Expected the caller of the request, and found none: put protect(verifier) before this handler.',
    );
  return caller as Caller;
}
