import * as oauth from 'oauth4webapi';

/** Makes proofs with the key that the tokens are bound to, and keeps the nonces that servers require. */
export type ProofKey = oauth.DPoPHandle;

/**
 * A key for the tokens of one sign-in (DPoP, RFC 9449). It is not extractable: the browser signs with it while the page is
 * open, and no script can read it. `firstNonce`: of the service, until an answer has another.
 */
export async function createProofKey(firstNonce: string | null): Promise<ProofKey> {
  const keys = await oauth.generateKeyPair('ES256', { extractable: false });
  return oauth.DPoP({}, keys, {
    [oauth.modifyAssertion](_header, claims) {
      // Without a nonce the service would refuse the first requests of each page.
      const isForService = String(claims.htu).startsWith(`${location.origin}/`);
      if (firstNonce !== null && isForService) claims.nonce ??= firstNonce;
    },
  });
}

/** `fetch` that sends a proof with the token if the token is bound to a key. */
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
      // The page's own origin has no HTTPS only on this machine.
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
          // The service asks for a nonce before it does anything, so the retry is safe. An unread body would hold the connection.
          return response.text().then(() => send(true));
        });
    return send(false);
  };
}
