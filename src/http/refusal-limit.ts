import type { Clock } from '../base/clock.ts';
import { describe, type ErrorCode, Refusal } from '../base/errors.ts';
import { WindowCounter } from '../base/window-counter.ts';

const maxAddresses = 20_000;

/**
 * Counts refused requests by address. Past the limit a further refusal is 429, and tokens that were never seen before
 * wait for the few places that such addresses share (auth/signature-queue). A good token is served as usual.
 */
export class RefusalLimit {
  readonly #refused: WindowCounter;

  constructor(perMinute: number, clock: Clock) {
    this.#refused = new WindowCounter(perMinute, clock, maxAddresses);
  }

  isReached(address: string): boolean {
    return this.#refused.isReached(address);
  }

  /** Counts a refusal, and returns the one to send: the same, or 429. */
  count(address: string, refusal: Refusal): Refusal {
    const retryAfterSeconds = this.#refused.add(address);
    if (retryAfterSeconds === 0 || neverReplaced.has(refusal.code)) return refusal;
    return new Refusal('too_many_refusals', { detail: refusal.code, retryAfterSeconds });
  }
}

/** Refusals of callers whose token is good. */
const forAuthenticated: ReadonlySet<ErrorCode> = new Set([
  'client_not_admitted',
  'not_owner',
  'action_not_allowed',
  // A step of every first request (RFC 9449 section 9).
  'proof_nonce_required',
]);

/** DescribeValue an honest caller what to do next (sign in, get a new token), and such callers share an address with a flooder. */
const neverReplaced: ReadonlySet<ErrorCode> = new Set([
  'token_missing',
  'token_expired',
  'token_not_yet_valid',
  'token_revoked',
  'insufficient_scope',
  'consumer_suspended',
  'client_disabled',
]);

export function countsAsRefused(code: ErrorCode): boolean {
  return code === 'logout_token_invalid' || (describe(code).status === 403 && !forAuthenticated.has(code));
}
