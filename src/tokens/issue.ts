import { json, type PublicHandler } from '../base/handler.ts';
import type { Clients } from './clients.ts';
import { readCredentials } from './credentials.ts';
import type { Mint } from './own-issuer.ts';

/** POST /token: credentials -> client -> token. */
export function issueToken(clients: Clients, mint: Mint): PublicHandler {
  return async (input) => {
    const credentials = readCredentials(input);
    const client = await clients.authenticate(credentials);
    return json({ token: await mint(client.id), token_type: 'Bearer' });
  };
}
