/**
 * The catalogue of errors. Programs decide by the code: it is never renamed or reused. `sentence` is for the caller, and
 * contains no part of the request. `npm run docs` writes docs/errors.md from this table.
 */
interface CatalogueEntry {
  readonly status: number;
  readonly sentence: string;
  /** The `error` attribute of the challenge (RFC 6750, RFC 9449); null = a challenge that carries none. */
  readonly challenge?: string | null;
  /** The specification asks for an empty JSON object instead of a problem document. */
  readonly emptyBody?: true;
  /** The answer to a standard OAuth client: RFC 6749 section 5.2 instead of a problem document. */
  readonly oauthError?: string;
}

function answered(status: number, marks: Omit<CatalogueEntry, 'status' | 'sentence'> = {}) {
  return <Code extends string>(sentences: Readonly<Record<Code, string>>) => {
    const entries = Object.entries(sentences).map(([code, sentence]) => [
      code,
      { status, sentence, ...marks },
    ]);
    return Object.fromEntries(entries) as Readonly<Record<Code, CatalogueEntry>>;
  };
}

export const catalogue = {
  ...answered(400)({
    query_invalid: 'A query parameter is unknown, repeated or invalid. The member "parameter" names it.',
    cursor_invalid: 'The cursor does not belong to this list. Start again without one.',
    json_invalid:
      'The body is not valid JSON. Expected: UTF-8, each name once, at most 64 levels, no NUL, numbers that fit a double.',
    batch_invalid:
      'The body is not a batch: an object with "operations", a list of 1 to 50. The member "errors" says where and why.',
    header_invalid: 'A header of the request is invalid. The member "header" names it.',
    bad_request: 'The request is not well-formed HTTP, or its address is malformed.',
  }),
  ...answered(400, { emptyBody: true })({
    credentials_missing:
      'The request has no complete credentials. Send a JSON object with client_id and client_secret.',
  }),
  ...answered(400, { oauthError: 'invalid_request' })({
    oauth_request_invalid:
      'The form lacks a parameter (grant_type at /token, token at /revoke) or the credentials of one client. Send each once, in one way.',
    logout_token_invalid:
      'The form does not contain a valid logout token. Expected: one token of a trusted provider, for this service, fresh and not sent before.',
  }),
  ...answered(400, { oauthError: 'unsupported_grant_type' })({
    oauth_grant_not_supported: 'The grant type is not supported. Send grant_type=client_credentials.',
  }),
  ...answered(400, { oauthError: 'invalid_scope' })({
    oauth_scope_invalid: 'The client requests a scope that the operator has not given it.',
  }),
  ...answered(400, { oauthError: 'invalid_dpop_proof' })({
    oauth_proof_invalid: 'The DPoP proof is missing, was sent before, or does not fit this request.',
  }),
  ...answered(400, { oauthError: 'use_dpop_nonce' })({
    oauth_proof_nonce_required:
      'The DPoP proof must contain the nonce of the DPoP-Nonce header. Send the request again with it.',
  }),
  ...answered(401, { emptyBody: true })({
    credentials_wrong: 'The client does not exist, is disabled, or the secret is wrong.',
  }),
  ...answered(401, { oauthError: 'invalid_client' })({
    oauth_client_wrong: 'The client does not exist, is disabled, or the credentials are wrong.',
  }),
  ...answered(403)({
    consumer_suspended: 'The operator of this service has suspended this caller.',
    client_not_admitted: 'This collection is for people; it does not admit machine clients.',
    not_owner: 'The record belongs to another caller. This caller can only read it.',
    role_required: 'The caller has no role in the record that allows this.',
    action_not_allowed: 'The caller may not take this action in this state.',
    https_required: 'The request came over plain HTTP. Tokens and secrets are accepted over HTTPS only.',
  }),
  ...answered(403, { challenge: null })({
    token_missing: 'No bearer token was sent. Send the access token as "Authorization: Bearer <token>".',
  }),
  ...answered(403, { challenge: 'invalid_request' })({
    authorization_malformed:
      'The Authorization header is malformed. Send exactly one, with "Bearer", one space and one token.',
  }),
  ...answered(403, { challenge: 'invalid_token' })({
    token_malformed:
      'The token is not a well-formed JWT in compact form: three base64url parts joined by dots.',
    token_too_large: 'The token is longer than 8192 bytes.',
    token_type_not_allowed: 'The token is not an access token. Send an access token, not an ID token.',
    header_not_supported:
      'The token requires an extension ("crit" or "b64") that this service does not support.',
    algorithm_not_allowed:
      'The token is signed with an algorithm that is not on the list of allowed algorithms.',
    issuer_mismatch: 'The token does not come from an issuer that this service trusts.',
    key_unknown: 'The issuer publishes no usable key for this token.',
    signature_invalid: 'The signature of the token does not verify.',
    claim_invalid: 'A claim of the token has the wrong type or an impossible value.',
    expiry_missing: 'The token carries no expiry time ("exp").',
    token_expired: 'The token has expired. Get a new one and try again.',
    token_not_yet_valid: 'The token is not valid yet. Check the clock of the machine that issued it.',
    token_lifetime_too_long:
      'The token lives longer, from "iat" to "exp", than this service accepts, or has no "iat".',
    token_bound:
      'The token is bound to a key or certificate ("cnf") and was sent without its proof. Send it with the proof, or get one that is not bound.',
    proof_required:
      'Only tokens bound to a key are accepted, and this one is not. Request it with a DPoP proof.',
    audience_mismatch:
      'The token was issued for another audience than this API. Send an access token for this API, not an ID token.',
    subject_invalid: 'The token names no usable subject: "sub" must be a non-empty string.',
    subject_required:
      'The token has no subject ("sub"), and data of this endpoint needs an owner. Send a token with a subject.',
    client_disabled: 'The client that the token was issued to has been disabled or removed.',
    token_revoked: 'The token was revoked. Sign in again and send a new one.',
  }),
  ...answered(403, { challenge: 'invalid_dpop_proof' })({
    proof_invalid:
      'The DPoP proof does not fit this request and token. The member "proof_fault" names the rule that it breaks.',
    proof_replayed:
      'The DPoP proof was sent before. Make a new one, with a "jti" of its own, for every request.',
  }),
  ...answered(403, { challenge: 'use_dpop_nonce' })({
    proof_nonce_required:
      'The DPoP proof must contain the nonce of the DPoP-Nonce header. Send the request again with it.',
  }),
  ...answered(403, { challenge: 'insufficient_scope' })({
    insufficient_scope:
      'The token lacks a scope that this endpoint requires. The member "scope" lists the required scopes.',
  }),
  ...answered(404)({
    not_found: 'There is nothing at this address.',
    invitation_invalid:
      'The invitation code is wrong, used up, withdrawn or expired. Ask for a new invitation.',
  }),
  ...answered(405)({
    method_not_allowed:
      'This address does not support the method. The Allow header lists the supported methods.',
  }),
  ...answered(408)({ request_timeout: 'The request did not arrive in full within the time allowed.' }),
  ...answered(409)({
    invalid_transition:
      'The record is in a state without this action. The member "allowed" lists the actions that are possible.',
    not_editable: 'The record cannot be changed or deleted in its present state.',
    idempotency_record_gone: 'The record that was created with this Idempotency-Key has been deleted.',
    already_member: 'The caller already has this role in the record, or another one by invitation.',
    parent_closed: 'The parent record accepts no new records now, or no longer allows this action.',
    no_capacity: 'There is no free place under the parent record. Try again when one is free.',
    not_unique:
      'A record with the same values exists. The member "fields" names the values that must differ.',
    has_children:
      'The record has records under it. Delete those first. The member "collection" names their collection.',
    batch_refused:
      'An operation of the batch was refused, so nothing has changed. The member "index" says which one (from 0), "problem" why.',
    role_full: 'The role has no free place in this record. A member with this role has to leave first.',
    quota_exceeded:
      'A limit on a number of records, roles or invitations is reached. The member "limit" says how many there can be. End or delete one first.',
  }),
  ...answered(412)({
    precondition_failed:
      'The record has another version than the request expects. The member "current" is the record now.',
  }),
  ...answered(413)({
    record_too_large: 'The record is larger than this collection allows. The member "limit" is in bytes.',
    body_too_large: 'The body of the request is too large.',
  }),
  ...answered(415)({
    media_type_not_supported: 'The service does not support the Content-Type of the request.',
  }),
  ...answered(422)({
    validation_failed:
      'The fields do not fit the schema of the collection. The member "errors" says where and why.',
    idempotency_key_reused:
      'The Idempotency-Key was sent before with another body. Use a new key for a new request.',
  }),
  ...answered(428)({
    precondition_required:
      'A change must say which version it changes. Send the ETag of the record as If-Match.',
  }),
  ...answered(429)({
    write_budget_spent: 'The write budget of this caller is spent. Retry-After says when it is renewed.',
    newcomer_budget_spent:
      'The write budget of this new caller is spent. Retry-After says when it is renewed.',
    newcomers_paused: 'Too many new callers in the last hour. New callers can only read for now.',
    read_limit_reached: 'The read limit of this caller is reached. Retry-After says when it is renewed.',
    too_many_streams:
      'This caller has the most event streams, long polls or exports that are allowed. End one first.',
    too_many_refusals: 'Too many requests from this address were refused. Wait before sending more.',
  }),
  ...answered(429, { emptyBody: true })({
    credentials_too_many_failures:
      'Too many failed attempts for this client or from this address. Wait before the next one.',
  }),
  ...answered(429, { oauthError: 'invalid_client' })({
    oauth_too_many_failures:
      'Too many failed attempts for this client or from this address. Wait before the next one.',
  }),
  ...answered(431)({ headers_too_large: 'The headers of the request are too large.' }),
  ...answered(500)({ internal: 'Internal error. Report the request id (X-Request-Id).' }),
  ...answered(503)({
    keys_unavailable:
      'The keys of the provider are not available, so the token cannot be verified. Try again.',
    signing_overloaded: 'Too many tokens wait to be signed. Try again.',
    overloaded: 'The process is overloaded and has not started the request. Try again.',
    revocations_full:
      'The limit of revocations for this issuer is reached. This one was not stored, and its tokens still work. Try again later.',
    storage_unavailable: 'The database does not answer. Try again.',
    shutting_down: 'This process is shutting down. Try again.',
  }),
} satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

export function describe(code: ErrorCode): CatalogueEntry {
  return catalogue[code];
}

export interface RefusalOptions {
  /** For the log only. Must not hold personal data. */
  readonly detail?: string;
  /** The code of a failed connection: of the system, SQLSTATE, `sqlite_<result>`, `http_<status>`... */
  readonly fault?: string | undefined;
  readonly retryAfterSeconds?: number;
  readonly allow?: readonly string[];
  readonly scope?: readonly string[];
  /** Further members of the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Data from which the handler makes members and headers. */
  readonly facts?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that is answered with an entry of the catalogue. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly options: RefusalOptions;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(catalogue[code].sentence, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}

/** A mistake of the operator: printed as one sentence, exit code 1, no stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
