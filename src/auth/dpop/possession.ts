import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Caller, UsedProof } from '../../base/caller.ts';
import { Refusal } from '../../base/errors.ts';
import type { RequestOrigin } from '../../base/request-origin.ts';
import type { Possession } from '../authenticate.ts';
import type { CheckProof, Proof } from './proof.ts';
import { invalidProof } from './proof-fault.ts';
import type { SeenProofs } from './seen-proofs.ts';

/** A request as far as a proof is about it. */
export interface ProvableRequest extends RequestOrigin {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  /** Set once it is proven. */
  proof: UsedProof | null;
}

interface PossessionParts {
  readonly checkProof: CheckProof;
  readonly useProof: (proof: Proof) => UsedProof;
  /** The address that callers know us by. */
  readonly baseUrl: string;
}

/** A token bound to a key is accepted only with a proof by that key, and each proof only once. */
export function createPossession(parts: PossessionParts): Possession<Caller, ProvableRequest> {
  const { checkProof, useProof, baseUrl } = parts;
  return {
    checkBearer({ boundTo }) {
      if (boundTo !== null) throw new Refusal('token_bound');
    },
    async checkProof({ boundTo }, token, request) {
      if (boundTo === null) throw invalidProof('cnf');
      const proof = await checkProof(
        request.header('dpop'),
        {
          method: request.method,
          uri: `${baseUrl}${request.path}`,
          tokenDigest: Buffer.from(token, 'latin1').toString('base64url'),
          thumbprint: boundTo,
        },
        request,
      );
      request.proof = useProof(proof);
    },
  };
}

/**
 * Notes that a proof is used, and refuses one that was. The key comes first in what is digested: who finds a digest in the
 * database cannot try out whose it is. (An HMAC would take three times as long, and protect from nothing more: nobody is
 * shown a digest.)
 */
export function createUseProof(digestKey: Uint8Array, seen: SeenProofs) {
  const start = Buffer.from(digestKey).toString('base64url');
  return ({ thumbprint, jti, expiresAt }: Proof): UsedProof => {
    const used = { digest: hash('sha256', `${start}.${thumbprint}.${jti}`, 'buffer'), expiresAt };
    if (!seen.use(used)) throw new Refusal('proof_replayed');
    return used;
  };
}
