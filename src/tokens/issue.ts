import type { RequestOrigin } from '../base/caller.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import { type Answer, type Input, json, type PublicHandler } from '../base/handler.ts';
import { isGranted, scopeMember } from '../base/scopes.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import { count, object, text } from '../openapi/schemas.ts';
import type { TokenTerms } from '../openapi/token-terms.ts';
import type { Mint } from './mint.ts';
import type { RecogniseClient } from './recognise-client.ts';
import type { Throttle } from './throttle.ts';
import { credentialFields, readTokenRequest, type TokenRequest } from './token-request.ts';

interface IssueParts {
  readonly recognise: RecogniseClient;
  readonly throttle: Throttle;
  readonly mint: Mint;
  readonly ttlSeconds: number;
  /** Null if tokens are not bound to keys. */
  readonly proveKey: ProveKey | null;
}

/** POST /token: request -> client -> scopes -> key -> token. */
export function issueToken(parts: IssueParts): PublicHandler {
  const { recognise, throttle, mint, ttlSeconds, proveKey } = parts;
  return async (input) => {
    const request = readTokenRequest(input);
    const { wrong, tooMany } = refusals[request.dialect];
    /** Counts a failure, and returns the refusal to answer with: the same one, or that there were too many. */
    const counted = (clientId: string, refusal: unknown): unknown => {
      const retryAfterSeconds = throttle.fail(clientId, input.address);
      return retryAfterSeconds === 0 ? refusal : new Refusal(tooMany, { retryAfterSeconds });
    };
    const known = await recognise(request.proof, input);
    if (known.client === null) throw counted(known.claimedId, new Refusal(wrong));
    const { client, credentialId } = known;
    const scopes = request.scopes ?? client.scopes;
    if (!isGranted(scopes, client.scopes)) throw new Refusal('oauth_scope_invalid');
    let thumbprint: string | null = null;
    try {
      // Only after the client is authenticated: a proof is checked with a key that its sender chooses, which strangers
      // could exploit.
      thumbprint = (await proveKey?.(input, throttle.origin(client.id, input))) ?? null;
    } catch (error) {
      const refusal = refusalIn(request.dialect, error);
      throw isBadProof(error) ? counted(client.id, refusal) : refusal;
    }
    const token = await mint({ clientId: client.id, credentialId, scopes, thumbprint });
    const issued = { token, type: thumbprint === null ? 'Bearer' : 'DPoP', scopes };
    return answerIn(request.dialect, issued, ttlSeconds);
  };
}

/** JSON gets exactly the two fields of the specification, a form gets the answer of RFC 6749 section 5.1. */
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

const sent = 'A JWT. Send it in the Authorization header, after the scheme that "token_type" names.';
const bearerType = { ...text, const: 'Bearer', description: 'The scheme to send it with.' };
const eitherType = {
  ...text,
  enum: ['Bearer', 'DPoP'],
  description:
    'The scheme to send it with: "DPoP" if the request had a DPoP proof. The token is bound to the key of that proof.',
};
const boundTo = {
  off: '',
  on: ' With a DPoP proof (RFC 9449) the token is bound to its key.',
  required: ' The request needs a DPoP proof (RFC 9449), and the token is bound to its key.',
};

function issuedSchemas(tokenType: Schema): Schema {
  const issued = object({ token: { ...text, description: sent }, token_type: tokenType });
  const byOAuth = {
    access_token: { ...text, description: sent },
    token_type: tokenType,
    expires_in: { ...count, description: 'In seconds.' },
    scope: { ...text, description: 'The scopes of the token; absent when it has none.' },
  };
  return { oneOf: [issued, object(byOAuth, ['scope'])] };
}

const grant = {
  grant_type: { const: 'client_credentials' },
  scope: { ...text, description: 'Some of the scopes of the client; by default all of them.' },
  ...credentialFields,
};

export function describeIssue({ dpop }: Pick<TokenTerms, 'dpop'>): Description {
  return {
    name: 'issueToken',
    tag: tags.tokens,
    summary: 'A token for a machine client',
    description: `JSON with id and secret, or a form (RFC 6749) with HTTP Basic, client_secret or client_assertion. The errors of a form are those of RFC 6749.${boundTo[dpop]}`,
    bindsTokens: true,
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
    answers: answersJson('The token.', issuedSchemas(dpop === 'off' ? bearerType : eitherType)),
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

/** The thumbprint of the key that a token is to be bound to (RFC 9449 section 5); null without a proof. Uses up the proof. */
export type ProveKey = (input: Input, origin: RequestOrigin) => Promise<string | null>;

const inOAuth: Partial<Record<ErrorCode, ErrorCode>> = {
  proof_invalid: 'oauth_proof_invalid',
  proof_replayed: 'oauth_proof_invalid',
  proof_nonce_required: 'oauth_proof_nonce_required',
};

/** A proof that only lacks a nonce is not counted: the first proof of every client does. */
function isBadProof(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'proof_invalid' || error.code === 'proof_replayed');
}

/** A refused proof in the dialect of the request. For JSON, that is the answer to incomplete credentials. */
function refusalIn(dialect: TokenRequest['dialect'], error: unknown): unknown {
  const code = error instanceof Refusal ? inOAuth[error.code] : undefined;
  if (!(error instanceof Refusal) || code === undefined) return error;
  const detail = `DPoP proof: ${error.options.detail ?? error.code}`;
  return new Refusal(dialect === 'oauth' ? code : 'credentials_missing', { detail });
}
