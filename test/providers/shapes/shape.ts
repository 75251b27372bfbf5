import { canaryClaims } from '../../support/faults/canaries.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The settings that an entry of the page produces for its provider. */
export interface At {
  readonly issuer: string;
  /** The first audience that the entry names. */
  readonly audience: string;
  readonly now: number;
}

interface Token {
  readonly claims: (at: At) => Claims;
  readonly header?: Claims;
  /** Signed with a secret instead of the key that the provider publishes. */
  readonly isSymmetric?: true;
}

/** Whether the token is accepted, and its caller and scopes. */
export interface Accepted extends Token {
  readonly kind: 'user' | 'client';
  readonly scopes: readonly string[];
}

/** A token that is refused, the error code, and the text of "vestibule explain". */
export interface Refused extends Token {
  readonly code: string;
  readonly says: RegExp;
}

/** The tokens of one provider, as its documentation shows them. */
export interface Shape {
  /** The heading on docs/providers.md. */
  readonly section: string;
  readonly accepted: Readonly<Record<string, Accepted>>;
  readonly refused: Readonly<Record<string, Refused>>;
}

export const { sub, name, email, picture, given_name, family_name } = canaryClaims;

/** The answer to an ID token. */
export const sendAccessToken = /Send the access token\.$/;

/** The claim by which an ID token of a code flow is known. */
export const atHash = { at_hash: 'fPlsvVszI29LU2UhDyJ9vg' };

type ClaimsOf = Token['claims'];
type Changes = Claims | ClaimsOf;

/** The same tokens with other claims; undefined removes one. */
export function changed(claims: ClaimsOf, changes: Changes): ClaimsOf {
  return (at) => ({ ...claims(at), ...(typeof changes === 'function' ? changes(at) : changes) });
}

function accepted(kind: Accepted['kind'], scopes: string, claims: ClaimsOf, changes: Changes): Accepted {
  return { claims: changed(claims, changes), kind, scopes: scopes.split(' ').filter(Boolean) };
}

export const user = (scopes: string, claims: ClaimsOf, changes: Changes = {}) =>
  accepted('user', scopes, claims, changes);
export const client = (scopes: string, claims: ClaimsOf, changes: Changes = {}) =>
  accepted('client', scopes, claims, changes);

export function refused(code: string, says: RegExp, claims: ClaimsOf, changes: Changes = {}): Refused {
  return { claims: changed(claims, changes), code, says };
}

export const refusedIdToken = (claims: ClaimsOf, changes: Changes = {}) =>
  refused('token_type_not_allowed', sendAccessToken, claims, changes);

export const refusedTenant = (claims: ClaimsOf, changes: Changes) =>
  refused('issuer_mismatch', /another tenant or realm of the same provider/, claims, changes);
