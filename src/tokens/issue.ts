import { type ErrorCode, Refusal } from '../base/errors.ts';
import { type Answer, type Input, json, type PublicHandler } from '../base/handler.ts';
import { isGranted, scopeMember } from '../base/scopes.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import { count, object, text } from '../openapi/schemas.ts';
import type { AuthenticateClient } from './authenticate-client.ts';
import { assertionType } from './form-request.ts';
import type { Mint } from './mint.ts';
import { type ProveKey, refusalIn } from './proven-key.ts';
import type { TokenRequest } from './request-types.ts';
import type { Throttle } from './throttle.ts';
import { readTokenRequest } from './token-request.ts';

interface IssueParts {
  readonly authenticate: AuthenticateClient;
  readonly throttle: Throttle;
  readonly mint: Mint;
  readonly ttlSeconds: number;
  /** Null where tokens are bound to no key. */
  readonly proveKey: ProveKey | null;
}

/** POST /token: request -> key -> client -> scopes -> token. */
export function issueToken(parts: IssueParts): PublicHandler {
  const { authenticate, throttle, mint, ttlSeconds, proveKey } = parts;
  return async (input) => {
    const request = readTokenRequest(input);
    const inDialect = (error: unknown) => refusalIn(request.dialect, error);
    // Before the client: an assertion counts once, and whoever has to send a nonce is to send the same one again.
    const key =
      proveKey === null ? null : await proveKey(input).catch((error) => Promise.reject(inDialect(error)));
    // A client that has failed too often is refused from memory: a flood of guesses does not reach the database.
    const mayLookUp = (claimedId: string) => !throttle.isReached(claimedId, input.address);
    const known = await authenticate(request.proof, mayLookUp);
    if (known.client === null) throw failure(request, input, throttle, known.claimedId);
    const { client, credentialId } = known;
    const scopes = request.scopes ?? client.scopes;
    if (!isGranted(scopes, client.scopes)) throw new Refusal('oauth_scope_invalid');
    try {
      // Not before the client is known: strangers are not to fill the memory of proofs.
      key?.use();
    } catch (error) {
      throw inDialect(error);
    }
    const thumbprint = key?.thumbprint ?? null;
    const token = await mint({ clientId: client.id, credentialId, scopes, thumbprint });
    const issued = { token, type: thumbprint === null ? 'Bearer' : 'DPoP', scopes };
    return answerIn(request.dialect, issued, ttlSeconds);
  };
}

/** JSON gets exactly the two fields of the specification, a form what RFC 6749 section 5.1 says. */
function answerIn(
  dialect: TokenRequest['dialect'],
  { token, type, scopes }: { token: string; type: string; scopes: readonly string[] },
  ttlSeconds: number,
): Answer {
  if (dialect === 'json') return json({ token, token_type: type });
  const granted = scopeMember(scopes);
  return json({ access_token: token, token_type: type, expires_in: ttlSeconds, ...granted });
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

const tokenType = {
  ...text,
  enum: ['Bearer', 'DPoP'],
  description:
    'The scheme to send it with: "DPoP" when the request had a DPoP proof, whose key it is bound to.',
};
const issued = object({
  token: { ...text, description: 'A JWT. Send it as "Authorization: Bearer <token>".' },
  token_type: tokenType,
});
const issuedByOAuth = {
  access_token: text,
  token_type: tokenType,
  expires_in: { ...count, description: 'In seconds.' },
  scope: { ...text, description: 'The scopes of the token; absent when it has none.' },
};
const grant = {
  grant_type: { const: 'client_credentials' },
  scope: { ...text, description: 'Of the scopes of the client; all of them by default.' },
  client_id: text,
  client_secret: text,
  client_assertion_type: { const: assertionType },
  client_assertion: { ...text, description: 'A JWT that the client signed with a key of its own.' },
};

export function describeIssue(): Description {
  return {
    name: 'issueToken',
    tag: tags.tokens,
    summary: 'A token for a machine client',
    description:
      'JSON with id and secret, or a form as RFC 6749 has it, with HTTP Basic, client_secret or client_assertion. The answer is in the language of the request. With a DPoP header (RFC 9449) the token is bound to the key of that proof.',
    body: {
      'application/json': {
        schema: object({ client_id: text, client_secret: text }),
        example: { client_id: 'reports', client_secret: 'the secret of the client' },
      },
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', required: ['grant_type'], properties: grant },
        example: { grant_type: 'client_credentials' },
      },
    },
    answers: answersJson('The token.', { oneOf: [issued, object(issuedByOAuth, ['scope'])] }),
    errors: [
      'credentials_missing',
      'credentials_wrong',
      'credentials_too_many_failures',
      'oauth_request_invalid',
      'oauth_grant_not_supported',
      'oauth_scope_invalid',
      'oauth_proof_invalid',
      'oauth_proof_nonce_required',
      'oauth_client_wrong',
      'oauth_too_many_failures',
      'signing_overloaded',
      'overloaded',
      'storage_unavailable',
    ],
  };
}
