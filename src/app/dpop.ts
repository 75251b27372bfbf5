import { createNonces } from '../auth/dpop/nonce.ts';
import { createPossession, createUseProof, SeenProofs } from '../auth/dpop/possession.ts';
import { createProofCheck } from '../auth/dpop/proof.ts';
import { proofAlgorithms } from '../auth/dpop/proof-keys.ts';
import type { SignatureQueue } from '../auth/signature-queue.ts';
import { tokenPath } from '../base/addresses.ts';
import { ownIssuer } from '../config/rules.ts';
import type { ProveKey } from '../tokens/issue.ts';
import type { BaseParts } from './base-parts.ts';

export type Dpop = NonNullable<ReturnType<typeof createDpop>>;

/** Tokens bound to a key (RFC 9449), and proofs at POST /token. Null where DPoP is off. */
export function createDpop({ config, keyring, clock }: BaseParts, signatures: SignatureQueue) {
  if (config.dpop.policy === 'off') return null;
  const now = () => clock.now();
  const nonces = config.dpop.nonce ? createNonces(keyring.proofNonces, now) : null;
  const baseUrl = ownIssuer(config);
  const checkProof = createProofCheck({ signatures, nonces, now });
  const useProof = createUseProof(keyring.proofs, new SeenProofs(clock));
  const isRequired = config.dpop.policy === 'required';
  const proveKey: ProveKey = async (input, origin) => {
    const header = input.header('dpop');
    if (header === undefined && !isRequired) return null;
    const request = { method: 'POST', uri: `${baseUrl}${tokenPath}`, tokenDigest: null, thumbprint: null };
    const proof = await checkProof(header, request, origin);
    useProof(proof);
    return proof.thumbprint;
  };
  return {
    provePossession: createPossession(checkProof, useProof, baseUrl),
    proveKey,
    terms: { algorithms: proofAlgorithms, isRequired, nonce: nonces && (() => nonces.current()) },
  };
}
