import { Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { IntrospectionEndpoint } from '../../base/provider-rules.ts';
import type { ClaimsPolicy } from '../claims.ts';
import { maxTokenBytes } from '../jws.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';

/** Eight times the longest JWT. */
const maxAnswerBytes = 64 * 1024;
/** RFC 6749 section 10.10 demands unguessable tokens: 128 random bits take more characters than this. */
const minOpaqueLength = 20;
/** `{"` in base64: the start of every JWT header. */
const jwtStart = 'eyJ';

/** True for a bearer token that may be sent to the provider. A JWT, also a damaged one, may belong to another provider. */
export function isOpaque(token: string): boolean {
  if (token.length < minOpaqueLength || token.length > maxTokenBytes) return false;
  return !token.startsWith(jwtStart) && token.split('.', 4).length !== 3;
}

/** One introspection request (RFC 7662 section 2.1); null if the token is not active. Signed answers (RFC 9701) are refused. */
export async function introspect(
  token: string,
  { url, clientId, clientSecret }: IntrospectionEndpoint,
  stopping: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<JsonObject | null> {
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`);
  const headers = { ...more, authorization: `Basic ${credentials.toString('base64')}` };
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const { document } = await fetchDocument(url, stopping, headers, form, maxAnswerBytes);
  if (!isJsonObject(document) || typeof document.active !== 'boolean')
    throw new FetchError(
      'not_json',
      'the answer is not a JSON object with an "active" that is true or false',
    );
  return document.active ? document : null;
}

/** The endpoint works but cannot handle this token. 401 and 403 are about our credentials. */
export function isAboutToken(error: unknown): boolean {
  if (!(error instanceof FetchError)) return false;
  const status = error.status ?? 0;
  const isClientError = status >= 400 && status < 500 && ![401, 403, 429].includes(status);
  return isClientError || error.fault === 'too_large';
}

export function isOutage(error: unknown): error is FetchError {
  return error instanceof FetchError && !isAboutToken(error) && error.status !== 429;
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** The answer as the claims of a token. A provider answers about its own tokens, so `iss` may be missing. */
export function claimsOf(answer: JsonObject, { issuers }: ClaimsPolicy): JsonObject {
  checkTokenType(answer);
  return answer.iss === undefined ? { ...answer, iss: issuers[0] } : answer;
}

/** Refuses refresh tokens, which are active as well. Ory Hydra sends `token_use`; many providers send no type. */
function checkTokenType({ token_type: type, token_use: use, cnf }: JsonObject): void {
  const isAccess = use === undefined || use === 'access' || use === 'access_token';
  const isKnown = type === undefined || (typeof type === 'string' && /^(bearer|dpop)$/i.test(type));
  if (!isAccess || !isKnown) throw new Refusal('token_type_not_allowed');
  // A bound token whose key is not stated cannot be proven.
  if (/^dpop$/i.test(String(type)) && cnf === undefined) throw new Refusal('token_bound');
}
