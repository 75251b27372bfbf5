import { hash, type KeyObject } from 'node:crypto';
import { Refusal } from '../../base/errors.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { isJsonObject, type JsonObject } from '../../base/strict-json.ts';
import { jsonObject } from '../jws.ts';
import { admitKey } from '../key-set.ts';

/** The rule that a DPoP proof breaks: mostly the name of a claim or header member. */
export type ProofFault =
  | 'missing'
  | 'repeated'
  | 'jwt'
  | 'typ'
  | 'alg'
  | 'crit'
  | 'jwk'
  /** The token is bound to another key, or to none. */
  | 'cnf'
  | 'signature'
  | 'jti'
  | 'htm'
  | 'htu'
  | 'iat'
  | 'exp'
  | 'nbf'
  | 'ath';

export function invalidProof(fault: ProofFault): Refusal {
  return new Refusal('proof_invalid', { detail: fault, members: { proof_fault: fault } });
}

/** Accepted algorithms of proofs. The list is short, because every challenge contains it. */
export const proofAlgorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;

export interface ProofKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** RFC 7638, SHA-256, in base64url: `cnf.jkt` of a bound token. */
  readonly thumbprint: string;
}

/** The largest RSA key: clients choose their own keys, and larger ones make every check slower. */
export const maxProofKeyBits = 4096;

/** Number of cached headers. A client has the same header in all its proofs. An entry takes 2 KB, at most 4 KB. */
const maxRemembered = 10_000;
/** Twice the length of a header with an RSA key of 4096 bits. Longer headers are not cached. */
const longestRemembered = 2048;

/** Caches the keys of valid proofs by their header: importing a key takes a third of the time of a signature check. */
export class ProofKeys {
  readonly #remembered = new RecentMap<string, ProofKey>(maxRemembered);

  recall(header: string): ProofKey | undefined {
    return this.#remembered.get(header);
  }

  remember(header: string, key: ProofKey): void {
    if (header.length <= longestRemembered) this.#remembered.set(header, key);
  }

  /** Reads a header. Imports the key only if it has the wanted thumbprint; null accepts any. */
  read(header: string, wanted: string | null): ProofKey {
    const { typ, alg, jwk, crit, b64 } = jsonObject(header);
    if (typeof typ !== 'string' || !/^(application\/)?dpop\+jwt$/i.test(typ)) throw invalidProof('typ');
    if (!isProofAlgorithm(alg)) throw invalidProof('alg');
    if (crit !== undefined || b64 !== undefined) throw invalidProof('crit');
    if (!isJsonObject(jwk) || privateMembers.some((name) => Object.hasOwn(jwk, name)))
      throw invalidProof('jwk');
    const thumbprint = thumbprintOf(jwk);
    if (wanted !== null && thumbprint !== wanted) throw invalidProof('cnf');
    const admitted = admitKey(jwk, [alg], maxProofKeyBits);
    if (typeof admitted === 'string') throw invalidProof('jwk');
    return { key: admitted.key, algorithm: alg, thumbprint };
  }
}

function isProofAlgorithm(alg: unknown): alg is (typeof proofAlgorithms)[number] {
  return proofAlgorithms.some((name) => name === alg);
}

/** Private members of RSA keys and curves, and the secret of a symmetric key. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The members that define a key, in the order of their names (RFC 7638 section 3.2, RFC 8037 section 2). */
const definingMembers: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

function thumbprintOf(jwk: JsonObject): string {
  const { kty } = jwk;
  const names = typeof kty === 'string' && Object.hasOwn(definingMembers, kty) ? definingMembers[kty] : null;
  if (!names?.every((name) => typeof jwk[name] === 'string')) throw invalidProof('jwk');
  const members = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  return hash('sha256', JSON.stringify(members), 'base64url');
}
