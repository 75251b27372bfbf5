import { Refusal } from '../../base/errors.ts';

/** What is wrong with a DPoP proof: short words that programs may decide by. They name a rule and never what was sent. */
export const proofFaults = [
  /** No DPoP header. */
  'missing',
  /** More than one DPoP header. */
  'repeated',
  /** Not a well-formed JWT. */
  'jwt',
  'typ',
  'alg',
  /** Demands an extension. */
  'crit',
  /** The key in it is none that may be used. */
  'jwk',
  /** The token is bound to another key, or to none. */
  'cnf',
  'signature',
  'jti',
  'htm',
  'htu',
  'iat',
  'exp',
  'nbf',
  'ath',
] as const;

export type ProofFault = (typeof proofFaults)[number];

export function invalidProof(fault: ProofFault): Refusal {
  return new Refusal('proof_invalid', { detail: fault, members: { proof_fault: fault } });
}
