/** What a client shows to prove that it is itself. */
export type ClientProof =
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly kind: 'assertion'; readonly clientId: string | null; readonly assertion: string };

/** A request for a token, in whichever of the two dialects it was made; the answer is in the same. */
export interface TokenRequest {
  readonly dialect: 'json' | 'oauth';
  readonly proof: ClientProof;
  /** Null when none was asked for: that is all the client may have. */
  readonly scopes: readonly string[] | null;
}
