import type { ErrorCode } from '../base/errors.ts';
import { sometimes } from './headers.ts';
import type { Headers, Security } from './openapi-types.ts';

/** The settings of sender-constrained tokens that callers notice. */
export interface TokenTerms {
  /** Whether tokens may or must be bound to a key (RFC 9449). */
  readonly dpop: 'off' | 'on' | 'required';
  /** Whether proofs need a nonce. */
  readonly nonce: boolean;
}

const takesProofs = ({ dpop }: TokenTerms) => dpop !== 'off';
const needsNonce = ({ nonce }: TokenTerms) => nonce;
const onlyBound = ({ dpop }: TokenTerms) => dpop === 'required';

const conditions: { readonly [C in ErrorCode]?: (terms: TokenTerms) => boolean } = {
  proof_required: onlyBound,
  proof_invalid: takesProofs,
  proof_replayed: takesProofs,
  proof_nonce_required: needsNonce,
  oauth_proof_invalid: takesProofs,
  oauth_proof_nonce_required: needsNonce,
};

export function canOccur(code: ErrorCode, terms: TokenTerms): boolean {
  return conditions[code]?.(terms) ?? true;
}

/** The security schemes of a route that takes tokens; one of them is enough. */
export function bearerSchemes(terms: TokenTerms, scopes: readonly string[], isForPeople: boolean): Security {
  return [
    ...(onlyBound(terms) ? [] : [{ bearer: scopes }]),
    ...(takesProofs(terms) ? [{ dpop: scopes, dpopProof: [] }] : []),
    ...(isForPeople ? [] : [{ client: scopes, ...(onlyBound(terms) ? { dpopProof: [] } : {}) }]),
  ];
}

/** The security schemes of a route that issues tokens: with a proof they are bound. */
export function tokenEndpointSchemes(terms: TokenTerms): Security {
  const proven = [{ dpopProof: [] }, { clientBasic: [], dpopProof: [] }];
  const plain = [{}, { clientBasic: [] }];
  return [...(onlyBound(terms) ? [] : plain), ...(takesProofs(terms) ? proven : [])];
}

const accessToken = 'An access token of a provider that this service trusts, or of POST /token';

export function tokenSchemes(terms: TokenTerms): Record<string, object> {
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `${accessToken}.`,
  };
  const dpop = {
    type: 'http',
    scheme: 'dpop',
    description: `${accessToken}, that is bound to a key of its sender (RFC 9449): "Authorization: DPoP <token>". It goes with a proof.`,
  };
  const nonce = terms.nonce ? ', and the nonce of the last DPoP-Nonce header that came in an answer' : '';
  const dpopProof = {
    type: 'apiKey',
    in: 'header',
    name: 'DPoP',
    description: `A proof that the sender has the key (RFC 9449 section 4): a JWT signed with it, made anew for every request, with the method and the address${nonce}.`,
  };
  return {
    ...(onlyBound(terms) ? {} : { bearer }),
    ...(takesProofs(terms) ? { dpop, dpopProof } : {}),
  };
}

/** Headers of every answer to a request that may have a proof. */
export function nonceHeader(terms: TokenTerms): Headers {
  if (!terms.nonce) return {};
  return { 'DPoP-Nonce': sometimes('The nonce that the next proof must contain (RFC 9449 section 8).') };
}

export function termsInWords(terms: TokenTerms): string {
  if (!takesProofs(terms)) return '';
  const demand = onlyBound(terms) ? 'Tokens must be bound to their sender. ' : '';
  return `${demand}A token that is bound to a key of its sender (DPoP, RFC 9449) is sent as "Authorization: DPoP <token>", with a new proof in the header "DPoP" each time.`;
}
