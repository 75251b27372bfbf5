import { Refusal } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';

/** Whether tokens bound to a key by DPoP (`cnf.jkt`, RFC 9449 section 6) are refused, accepted or required. */
export type DpopPolicy = 'off' | 'on' | 'required';

/** A SHA-256 in base64url. */
const thumbprintForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * The thumbprint of the key that a token is bound to; null for a bearer token. A `cnf` of any other form (RFC 7800),
 * such as a certificate, cannot be proven here, so the token is refused.
 */
export function readBinding({ cnf }: JsonObject, dpop: DpopPolicy): string | null {
  if (cnf === undefined) {
    if (dpop === 'required') throw new Refusal('proof_required');
    return null;
  }
  const { jkt, ...others } = isJsonObject(cnf) ? cnf : {};
  const isUsable = typeof jkt === 'string' && thumbprintForm.test(jkt) && Object.keys(others).length === 0;
  if (dpop === 'off' || !isUsable) throw new Refusal('token_bound');
  return jkt;
}
