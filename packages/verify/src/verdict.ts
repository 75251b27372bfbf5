import { describe, type ErrorCode, type Refusal } from '../../../src/base/errors.ts';
import { challengeOf, problemOf, retryAfterOf } from '../../../src/base/problem.ts';
import type { Caller } from './caller.ts';

/** Why a request is refused. A code is never renamed and never reused. */
export type RefusalCode = Extract<
  ErrorCode,
  | 'token_missing'
  | 'authorization_malformed'
  | 'token_malformed'
  | 'token_too_large'
  | 'token_type_not_allowed'
  | 'header_not_supported'
  | 'algorithm_not_allowed'
  | 'issuer_mismatch'
  | 'key_unknown'
  | 'signature_invalid'
  | 'claim_invalid'
  | 'expiry_missing'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_lifetime_too_long'
  | 'token_bound'
  | 'audience_mismatch'
  | 'subject_invalid'
  | 'insufficient_scope'
  | 'keys_unavailable'
  | 'overloaded'
  | 'shutting_down'
  | 'internal'
>;

export type Verdict = Admitted | Refused;

export interface Admitted {
  readonly ok: true;
  readonly caller: Caller;
}

/** A refusal, ready to be sent: a problem document (RFC 9457) with a challenge (RFC 6750). */
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same as a Fetch `Response`. */
  toResponse(): Response;
}

interface RefusalRules {
  readonly realm: string;
  readonly resourceMetadata: string | null;
  /** The status for a missing or bad token. */
  readonly challengeStatus: 401 | 403;
}

export function refused(refusal: Refusal, rules: RefusalRules): Refused {
  const status = statusOf(refusal, rules);
  const retryAfter = retryAfterOf(refusal);
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(describe(refusal.code).challenge === undefined
      ? {}
      : { 'www-authenticate': challengeOf('Bearer', refusal, rules.realm, rules.resourceMetadata) }),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  };
  const body = JSON.stringify(problemOf(refusal, status));
  const toResponse = () => new Response(body, { status, headers });
  // The verifier throws no other codes.
  return { ok: false, code: refusal.code as RefusalCode, status, headers, body, toResponse };
}

/** A token that is good and does not grant enough is 403 for everybody. */
function statusOf({ code }: Refusal, { challengeStatus }: RefusalRules): number {
  const { status, challenge } = describe(code);
  return challenge === undefined || challenge === 'insufficient_scope' ? status : challengeStatus;
}
