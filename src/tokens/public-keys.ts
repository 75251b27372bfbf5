import { createPublicKey } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';

/** A public key in PEM, a JWK or a JWKS, as the JSON of a JWKS. */
export function asPublicKeys(text: string): string {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new OperatorError(
      "This is a private key, which is the client's own. Give the public key that belongs to it.",
    );
  }
  try {
    const isPem = text.includes('-----BEGIN');
    const value = isPem ? createPublicKey(text).export({ format: 'jwk' }) : JSON.parse(text);
    return JSON.stringify({ keys: Array.isArray(value.keys) ? value.keys : [value] });
  } catch {
    throw new OperatorError('Expected a public key in PEM, or a JWK or JWKS in JSON, and found neither.');
  }
}
