import { Refusal } from '../base/errors.ts';
import type { JsonObject } from '../base/json-object.ts';

export interface TokenHeader {
  readonly algorithm: string;
  readonly kid: string | undefined;
  /** `typ` in lower case without `application/`; undefined when absent. */
  readonly type: string | undefined;
}

const longestKid = 512;

/**
 * The members of the header that decide anything. `jku`, `x5u`, `jwk` and `x5c` are not among them: a key that a
 * token brings along, or says where to fetch, is never used.
 */
export function readHeader(header: JsonObject, allowedAlgorithms: ReadonlySet<string>): TokenHeader {
  const { alg, kid, typ, crit, b64 } = header;
  if (typeof alg !== 'string' || !allowedAlgorithms.has(alg)) throw new Refusal('algorithm_not_allowed');
  // RFC 7797: with `b64` the payload is not what base64url says, even if nobody has listed it in `crit`.
  if (crit !== undefined || b64 !== undefined) throw new Refusal('header_not_supported');
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > longestKid))
    throw new Refusal('token_malformed');
  if (typ !== undefined && typeof typ !== 'string') throw new Refusal('token_type_not_allowed');
  return { algorithm: alg, kid, type: typ?.toLowerCase().replace(/^application\//, '') };
}

/** `at+jwt` names an access token (RFC 9068); `JWT` and none at all are what most providers send. */
export function checkType(type: string | undefined, requireAtJwt: boolean): void {
  const allowed = type === 'at+jwt' || (!requireAtJwt && (type === undefined || type === 'jwt'));
  if (!allowed) throw new Refusal('token_type_not_allowed');
}
