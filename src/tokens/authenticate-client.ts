import type { RecogniseClient } from './recognise-client.ts';

/** Who the client is, and an assertion that says so is worthless from now on. */
export type AuthenticateClient = RecogniseClient;

/** For whoever has nothing else to find out before that. */
export function createAuthenticateClient(recognise: RecogniseClient): AuthenticateClient {
  return async (proof, mayLookUp) => {
    const known = await recognise(proof, mayLookUp);
    if (known.client === null || (await known.use())) return known;
    return { client: null, claimedId: known.client.id };
  };
}
