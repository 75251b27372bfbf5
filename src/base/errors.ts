/**
 * The one catalogue of errors. A code is what programs decide by: it is never renamed and never reused.
 * `sentence` is the text for the caller; it never contains anything that came in with the request.
 * docs/errors.md is generated from this table (`npm run docs`) and a test holds the two against each other.
 */
interface CatalogueEntry {
  readonly status: number;
  readonly sentence: string;
  /** The RFC 6750 `error` attribute of the challenge; null = a challenge that carries none. */
  readonly challenge?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | null;
  /** The specification asks for an empty JSON object instead of a problem document. */
  readonly emptyBody?: true;
  /** The answer to a standard OAuth client: RFC 6749 section 5.2 instead of a problem document. */
  readonly oauthError?: OAuthError;
}

type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope';

const invalidToken = { status: 403, challenge: 'invalid_token' } as const;

export const catalogue = {
  token_missing: {
    status: 403,
    challenge: null,
    sentence: 'No bearer token was sent. Send the access token as "Authorization: Bearer <token>".',
  },
  authorization_malformed: {
    status: 403,
    challenge: 'invalid_request',
    sentence:
      'The Authorization header is not one "Bearer", one space and one token. Send exactly one such header.',
  },
  token_malformed: {
    ...invalidToken,
    sentence: 'The token is not a well-formed JWT in compact form: three base64url parts joined by dots.',
  },
  token_too_large: { ...invalidToken, sentence: 'The token is longer than 8192 bytes.' },
  token_type_not_allowed: {
    ...invalidToken,
    sentence: 'The token is of a type that grants no access here. Send an access token, not an ID token.',
  },
  header_not_supported: {
    ...invalidToken,
    sentence: 'The token demands an extension ("crit" or "b64") that this service does not support.',
  },
  algorithm_not_allowed: {
    ...invalidToken,
    sentence: 'The token is signed with an algorithm that is not on the list of allowed algorithms.',
  },
  issuer_mismatch: {
    ...invalidToken,
    sentence: 'The token does not come from an issuer that this service trusts.',
  },
  key_unknown: {
    ...invalidToken,
    sentence: 'No usable key in the published key set of the issuer fits the token.',
  },
  signature_invalid: { ...invalidToken, sentence: 'The signature of the token does not verify.' },
  claim_invalid: {
    ...invalidToken,
    sentence: 'A claim of the token has the wrong type or an impossible value.',
  },
  expiry_missing: { ...invalidToken, sentence: 'The token carries no expiry time ("exp").' },
  token_expired: { ...invalidToken, sentence: 'The token has expired. Get a new one and try again.' },
  token_not_yet_valid: {
    ...invalidToken,
    sentence: 'The token is not valid yet. Check the clock of the machine that issued it.',
  },
  token_lifetime_too_long: {
    ...invalidToken,
    sentence:
      'The token lives longer, from "iat" to "exp", than this service accepts, or does not say since when.',
  },
  token_bound: {
    ...invalidToken,
    sentence:
      'The token is bound to a key or certificate ("cnf"), and only plain bearer tokens are taken here. Get one that is not bound.',
  },
  audience_mismatch: {
    ...invalidToken,
    sentence: 'The token was issued for another audience than this API.',
  },
  subject_invalid: {
    ...invalidToken,
    sentence: 'The token names no usable subject: "sub" must be a non-empty string.',
  },
  subject_required: {
    ...invalidToken,
    sentence: 'This endpoint needs to know whose data it serves, and the token names nobody.',
  },
  consumer_suspended: { status: 403, sentence: 'The operator of this service has suspended this caller.' },
  client_disabled: {
    ...invalidToken,
    sentence: 'The client that the token was issued to has been disabled or removed.',
  },
  insufficient_scope: {
    status: 403,
    challenge: 'insufficient_scope',
    sentence: 'The token does not carry a scope that this endpoint requires.',
  },
  keys_unavailable: {
    status: 503,
    sentence:
      'The keys of the identity provider cannot be had at the moment, so no token can be verified. Try again.',
  },
  credentials_missing: {
    status: 400,
    emptyBody: true,
    sentence: 'The request carries no complete credentials: a JSON object with client_id and client_secret.',
  },
  credentials_wrong: {
    status: 401,
    emptyBody: true,
    sentence: 'The client does not exist, is disabled, or the secret is not its secret.',
  },
  credentials_too_many_failures: {
    status: 429,
    emptyBody: true,
    sentence:
      'Too many tries with wrong credentials, for this client or from this address. Wait before the next one.',
  },
  oauth_request_invalid: {
    status: 400,
    oauthError: 'invalid_request',
    sentence:
      'The request is not a form with one grant_type and the credentials of one client, by one way of sending them.',
  },
  oauth_grant_not_supported: {
    status: 400,
    oauthError: 'unsupported_grant_type',
    sentence: 'The only grant here is client_credentials.',
  },
  oauth_scope_invalid: {
    status: 400,
    oauthError: 'invalid_scope',
    sentence: 'The client may not have a scope that it asks for.',
  },
  oauth_client_wrong: {
    status: 401,
    oauthError: 'invalid_client',
    sentence: 'The client does not exist, is disabled, or the credentials are not its credentials.',
  },
  oauth_too_many_failures: {
    status: 429,
    oauthError: 'invalid_client',
    sentence:
      'Too many tries with wrong credentials, for this client or from this address. Wait before the next one.',
  },
  signing_overloaded: {
    status: 503,
    sentence: 'More tokens wait to be signed than this process can take. Try again.',
  },
  client_not_admitted: {
    status: 403,
    sentence: 'This collection is for people; it does not admit machine clients.',
  },
  not_owner: { status: 403, sentence: 'The record belongs to somebody else and can only be read.' },
  action_not_allowed: {
    status: 403,
    sentence: 'In this state the action is not for this caller to take.',
  },
  query_invalid: {
    status: 400,
    sentence:
      'A parameter of the query is unknown, repeated or has no usable value. The member "parameter" names it.',
  },
  cursor_invalid: {
    status: 400,
    sentence: 'The cursor does not belong to this list. Start again without one.',
  },
  json_invalid: {
    status: 400,
    sentence:
      'The body is not JSON that can be kept as it is: UTF-8, one value for each name, at most 64 levels, no NUL, no number beyond a double.',
  },
  header_invalid: {
    status: 400,
    sentence: 'A header of the request has no usable value. The member "header" names it.',
  },
  validation_failed: {
    status: 422,
    sentence: 'The fields do not fit the schema of the collection. The member "errors" says where and why.',
  },
  record_too_large: {
    status: 413,
    sentence: 'The record is larger than this collection takes. The member "limit" is in bytes.',
  },
  precondition_failed: {
    status: 412,
    sentence:
      'The record is not the version that the request was made for. The member "current" is the record now.',
  },
  precondition_required: {
    status: 428,
    sentence: 'A change must say which version it changes. Send the ETag of the record as If-Match.',
  },
  invalid_transition: {
    status: 409,
    sentence: 'The record is in a state without this action. The member "allowed" lists those it has.',
  },
  not_editable: { status: 409, sentence: 'In its present state the fields of the record cannot be changed.' },
  idempotency_key_reused: {
    status: 422,
    sentence: 'The Idempotency-Key was sent before with another body. Use a new key for a new request.',
  },
  idempotency_record_gone: {
    status: 409,
    sentence: 'The record that was made with this Idempotency-Key has been deleted since.',
  },
  quota_exceeded: {
    status: 409,
    sentence: 'This caller has as many records here as it may have. Delete one first.',
  },
  write_budget_spent: {
    status: 429,
    sentence: 'This caller has written as much as it may for now. Retry-After says when there is more.',
  },
  newcomer_budget_spent: {
    status: 429,
    sentence: 'A caller who is new here may write little at first, and that is used up for now.',
  },
  newcomers_paused: {
    status: 429,
    sentence: 'So many callers are new here at the moment that new ones can only read for a while.',
  },
  read_limit_reached: {
    status: 429,
    sentence: 'This caller has read as much as it may for now. Retry-After says when there is more.',
  },
  https_required: {
    status: 403,
    sentence: 'The request came in over plain HTTP. Tokens and secrets are taken over HTTPS only.',
  },
  bad_request: {
    status: 400,
    sentence: 'The request is not well-formed HTTP, or its address cannot be read.',
  },
  not_found: { status: 404, sentence: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    sentence:
      'This address does not answer to that method. The Allow header lists the methods it answers to.',
  },
  request_timeout: { status: 408, sentence: 'The request did not arrive in full within the time allowed.' },
  body_too_large: { status: 413, sentence: 'The body of the request is larger than this service takes.' },
  media_type_not_supported: { status: 415, sentence: 'The Content-Type of the request cannot be read.' },
  headers_too_large: {
    status: 431,
    sentence: 'The headers of the request are larger than this service takes.',
  },
  too_many_refusals: {
    status: 429,
    sentence: 'Too many requests from this address were refused of late. Wait before sending more like them.',
  },
  overloaded: {
    status: 503,
    sentence: 'More waits than this process can take. Nothing was begun. Try again.',
  },
  internal: { status: 500, sentence: 'Something went wrong on our side. The request id helps to find it.' },
  storage_unavailable: { status: 503, sentence: 'The database does not answer at the moment. Try again.' },
  shutting_down: { status: 503, sentence: 'This process is shutting down. Try again.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

export function describe(code: ErrorCode): CatalogueEntry {
  return catalogue[code];
}

export interface RefusalOptions {
  /** For the operator's log only; the caller never sees it. Must hold nothing personal. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
  /** The methods that would be allowed. */
  readonly allow?: readonly string[];
  /** The scopes that would be enough. */
  readonly scope?: readonly string[];
  /** Further members of the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that is answered with an entry of the catalogue. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly options: RefusalOptions;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    // No stack trace, which would be a tenth of what a refused request costs: the code and the detail say where it is from.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(catalogue[code].sentence, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.options = options;
  }
}

/** A mistake of the operator: printed as one sentence, exit code 1, no stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
