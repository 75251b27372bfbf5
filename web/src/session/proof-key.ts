import * as oauth from 'oauth4webapi';

/** Makes proofs with the key that tokens are bound to, and keeps the nonces of those who want one in them. */
export type ProofKey = oauth.DPoPHandle;

/**
 * A key for the tokens of one sign-in (DPoP, RFC 9449). Nobody can read it, this page included: the browser only signs with
 * it, for as long as the page is open. The nonce is one of this service, until an answer of it brings another.
 */
export async function createProofKey(firstNonce: string | null): Promise<ProofKey> {
  const keys = await oauth.generateKeyPair('ES256', { extractable: false });
  return oauth.DPoP({}, keys, {
    [oauth.modifyAssertion](_header, claims) {
      // Without it the first requests of every page would be refused, and sent again.
      const isForService = String(claims.htu).startsWith(`${location.origin}/`);
      if (firstNonce !== null && isForService) claims.nonce ??= firstNonce;
    },
  });
}

/** Sends what has a bearer token with a proof for it instead, as long as there is a key that tokens are bound to. */
export function fetchWithProof(currentKey: () => ProofKey | null): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    const [, token] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
    const key = currentKey();
    if (key === null || token === undefined) return fetch(input, init);
    headers.delete('authorization');
    const url = new URL(String(input));
    const options = {
      DPoP: key,
      // It goes where the page came from; that is not HTTPS on this machine only.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (address: string, made: { headers: Record<string, string> }) =>
        fetch(address, { ...init, headers: made.headers }),
    };
    const send = (isLast: boolean): Promise<Response> =>
      oauth
        .protectedResourceRequest(token, init?.method ?? 'GET', url, headers, null, options)
        .catch((error: unknown) => {
          if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
          const { response } = error;
          if (isLast || !oauth.isDPoPNonceError(error)) return response;
          // A nonce is asked for before anything is done: nothing is done twice. What is not read keeps its connection.
          return response.text().then(() => send(true));
        });
    return send(false);
  };
}
