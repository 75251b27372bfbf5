import type { TokenBinding } from '../../base/caller.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-object.ts';
import { judged, type Step } from './step.ts';

/** What a bound token needs besides being sent. */
const needs = {
  dpop: 'bound to a key (DPoP): to be sent as "Authorization: DPoP <token>", with a new proof by that key in the header DPoP each time',
  mtls: 'bound to a certificate (mutual TLS): to be sent over a connection that shows it',
};

export function bindingStep(cnf: unknown, boundTo: TokenBinding | null, code: ErrorCode | null): Step {
  const found = boundTo === null ? 'bound to no key: a plain bearer token' : needs[boundTo.method];
  if (code === 'proof_required') {
    return judged('binding', code, found, {
      expected: '"cnf" with "jkt"',
      found: 'no "cnf"',
      advice:
        'Only tokens that are bound to a key are taken here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
    });
  }
  const names = isJsonObject(cnf) ? Object.keys(cnf) : [];
  return judged('binding', code, found, {
    expected: 'no "cnf", or one that can be proven here',
    found: '"cnf" (not shown)',
    advice: names.includes('jkt')
      ? 'The token is bound to a key (DPoP), which is not taken here as it is. Set DPOP=on; with that on, "cnf" must have the one member "jkt", a SHA-256 in base64url.'
      : names.includes('x5t#S256')
        ? 'The token is bound to a certificate (mutual TLS), which is not taken here as it is. Set MTLS=on, or MTLS_CERT_HEADER behind a proxy; with that, "cnf" must have the one member "x5t#S256", a SHA-256 in base64url.'
        : 'The token is bound to a key or certificate in a way that cannot be proven here. Switch that off for this API at the provider.',
  });
}
