import type { ErrorCode } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-object.ts';
import { judged, type Step } from './step.ts';

export function bindingStep(cnf: unknown, boundTo: string | null, code: ErrorCode | null): Step {
  const found =
    boundTo === null
      ? 'bound to no key: a plain bearer token'
      : 'bound to a key (DPoP): to be sent as "Authorization: DPoP <token>", with a new proof by that key in the header DPoP each time';
  if (code === 'proof_required') {
    return judged('binding', code, found, {
      expected: '"cnf" with "jkt"',
      found: 'no "cnf"',
      advice:
        'Only tokens that are bound to a key are taken here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
    });
  }
  return judged('binding', code, found, {
    expected: 'no "cnf", or one that can be proven here',
    found: '"cnf" (not shown)',
    advice:
      isJsonObject(cnf) && 'jkt' in cnf
        ? 'The token is bound to a key (DPoP), which is not taken here as it is. Set DPOP=on; with that on, "cnf" must have the one member "jkt", a SHA-256 in base64url.'
        : 'The token is bound in a way that cannot be proven here, for example to a certificate (mutual TLS). Switch that off for this API at the provider, or use DPoP.',
  });
}
