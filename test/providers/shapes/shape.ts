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

/** The same tokens with other claims; undefined removes one. */
export function changed(claims: (at: At) => Claims, changes: Claims | ((at: At) => Claims)) {
  return (at: At): Claims => ({ ...claims(at), ...(typeof changes === 'function' ? changes(at) : changes) });
}
