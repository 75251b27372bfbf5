import { type ErrorCode, Refusal } from '../base/errors.ts';
import { type Answer, type Input, json, type PublicHandler } from '../base/handler.ts';
import type { AuthenticateClient } from './authenticate-client.ts';
import type { Mint } from './mint.ts';
import type { TokenRequest } from './request-types.ts';
import type { Throttle } from './throttle.ts';
import { readTokenRequest } from './token-request.ts';

interface IssueParts {
  readonly authenticate: AuthenticateClient;
  readonly throttle: Throttle;
  readonly mint: Mint;
  readonly ttlSeconds: number;
}

/** POST /token: request -> client -> scopes -> token. */
export function issueToken({ authenticate, throttle, mint, ttlSeconds }: IssueParts): PublicHandler {
  return async (input) => {
    const request = readTokenRequest(input);
    // Whoever has failed too often is refused from memory: a flood of guesses does not reach the database.
    const mayLookUp = (claimedId: string) => !throttle.isReached(claimedId, input.address);
    const known = await authenticate(request.proof, mayLookUp);
    if (known.client === null) throw failure(request, input, throttle, known.claimedId);
    const { client, credentialId } = known;
    const scopes = request.scopes ?? client.scopes;
    if (scopes.some((scope) => !client.scopes.includes(scope))) throw new Refusal('oauth_scope_invalid');
    const token = await mint({ clientId: client.id, credentialId, scopes });
    return answerIn(request.dialect, token, scopes, ttlSeconds);
  };
}

/** JSON gets exactly the two fields of the specification, a form what RFC 6749 section 5.1 says. */
function answerIn(
  dialect: TokenRequest['dialect'],
  token: string,
  scopes: readonly string[],
  ttlSeconds: number,
): Answer {
  if (dialect === 'json') return json({ token, token_type: 'Bearer' });
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
  return json({ access_token: token, token_type: 'Bearer', expires_in: ttlSeconds, ...scope });
}

const refusals: Readonly<Record<TokenRequest['dialect'], { wrong: ErrorCode; tooMany: ErrorCode }>> = {
  json: { wrong: 'credentials_wrong', tooMany: 'credentials_too_many_failures' },
  oauth: { wrong: 'oauth_client_wrong', tooMany: 'oauth_too_many_failures' },
};

function failure({ dialect }: TokenRequest, input: Input, throttle: Throttle, claimedId: string): Refusal {
  const retryAfterSeconds = throttle.fail(claimedId, input.address);
  const { wrong, tooMany } = refusals[dialect];
  return retryAfterSeconds === 0 ? new Refusal(wrong) : new Refusal(tooMany, { retryAfterSeconds });
}
