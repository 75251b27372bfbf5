import { describe, type Refusal } from '../base/errors.ts';
import { challengeOf } from '../base/problem.ts';

/** On which terms tokens may be bound to a key (RFC 9449). */
export interface DpopTerms {
  /** What proofs may be signed with. */
  readonly algorithms: readonly string[];
  /** No other tokens are taken. */
  readonly isRequired: boolean;
  /** What the next proof has to contain; null where it needs no nonce. */
  readonly nonce: (() => string) | null;
}

/** What a challenge depends on besides the refusal. */
export interface Challenged {
  /** Where callers learn who issues tokens for here (RFC 9728). */
  readonly resourceMetadata: string | null;
  readonly dpop: DpopTerms | null;
  /** The request came with the DPoP scheme. */
  readonly byDpop: boolean;
}

export const unchallenged: Challenged = { resourceMetadata: null, dpop: null, byDpop: false };

/**
 * How to come back with what will be let in; null for a refusal that is about neither token nor proof. The scheme that was
 * tried has the error, and the other one is named beside it for who tried none or Bearer. A refusal of DPoP has one
 * challenge only: clients that look for `use_dpop_nonce` look at the first, or want no other.
 */
export function challengesOf(refusal: Refusal, realm: string, challenged: Challenged): string | null {
  const { resourceMetadata, dpop, byDpop } = challenged;
  if (describe(refusal.code).challenge === undefined) return null;
  if (dpop === null) return challengeOf('Bearer', refusal, realm, resourceMetadata);
  const algorithms = `algs="${dpop.algorithms.join(' ')}"`;
  if (byDpop || dpop.isRequired)
    return `${challengeOf('DPoP', refusal, realm, resourceMetadata)}, ${algorithms}`;
  return `${challengeOf('Bearer', refusal, realm, resourceMetadata)}, DPoP ${algorithms}`;
}
