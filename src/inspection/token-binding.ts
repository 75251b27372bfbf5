import { proofAlgorithms } from '../auth/dpop/proof-keys.ts';
import type { JsonObject } from '../base/json-object.ts';

/** What a provider says in its metadata of tokens that are bound to their sender. */
export function inspectBinding(document: JsonObject) {
  const { dpop_signing_alg_values_supported: announced } = document;
  return {
    /** What proofs for the provider may be signed with (RFC 9449 section 5.1); null when it says nothing of proofs. */
    announced: Array.isArray(announced) ? announced : null,
    /** What they may be signed with here. */
    taken: proofAlgorithms,
  };
}
