import type { KeyObject } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { ClaimsPolicy } from './claims.ts';

/** Where the keys of one issuer come from: a provider's published set, or our own. */
export interface KeySource {
  /**
   * Undefined when no usable key fits. Rejects with `keys_unavailable` when that cannot be told now. A key that is
   * not at hand is asked for only on behalf of a token that `looksRight` otherwise.
   */
  find(kid: string | undefined, algorithm: string, looksRight: () => boolean): FoundKey | Promise<FoundKey>;
  /** Another number for another set of keys; null while none may be used. What was verified counts only with its own. */
  generation(): number | null;
}

type FoundKey = KeyObject | undefined;

/** An issuer we trust, with its own keys and rules. The keys of one never verify the tokens of another. */
export interface TrustedIssuer {
  readonly keys: KeySource;
  readonly algorithms: ReadonlySet<string>;
  readonly requireAtJwt: boolean;
  readonly claims: ClaimsPolicy;
}

/** The issuer is chosen by the token's unverified `iss`: an exact string, or nobody. */
export function chooseIssuer<Issuer extends { readonly claims: Pick<ClaimsPolicy, 'issuers'> }>(
  issuers: readonly Issuer[],
  iss: unknown,
): Issuer {
  const chosen = typeof iss === 'string' && issuers.find(({ claims }) => claims.issuers.includes(iss));
  if (!chosen) throw new Refusal('issuer_mismatch');
  return chosen;
}
