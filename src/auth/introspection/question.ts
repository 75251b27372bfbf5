import { Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { IntrospectionEndpoint } from '../../base/provider-rules.ts';
import type { ClaimsPolicy } from '../claims.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';

/** Of what a provider says of one token: eight times the longest JWT, so that nobody's token takes much memory. */
const maxAnswerBytes = 64 * 1024;

/**
 * One question about a token (RFC 7662 section 2.1): what the provider says of it; null when it says that the token is
 * not active. Signed answers (RFC 9701) are not asked for and not taken: what is no JSON is a fault.
 */
export async function askAbout(
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
    throw new FetchError('not_json', 'the answer is no JSON object with an "active" that is true or false');
  return document.active ? document : null;
}

/** The endpoint is there, and makes no sense of this one token. What is about us or about all questions counts for all. */
export function isAboutToken({ fault, status }: FetchError): boolean {
  if (fault === 'too_large') return true;
  return status !== null && status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

/** The endpoint is there, and was asked more often than it likes. */
export function isTooOften({ status }: FetchError): boolean {
  return status === 429;
}

/** Nothing can be asked, whatever the token and however seldom. */
export function isOutage(error: FetchError): boolean {
  return !isAboutToken(error) && !isTooOften(error);
}

/** RFC 6749 section 2.3.1 has both encoded as in a form before they are joined by a colon. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/**
 * What an answer says, as the claims of a token. One that names no issuer speaks for the provider that was asked: it
 * answers about its own tokens only, and that is why it was asked.
 */
export function claimsIn(answer: JsonObject, { issuers }: ClaimsPolicy): JsonObject {
  checkTokenType(answer);
  return answer.iss === undefined ? { ...answer, iss: issuers[0] } : answer;
}

/**
 * Refresh tokens are asked about at the same place and are active, too. What an answer says of the type (`token_type`,
 * RFC 7662; `token_use`, as Ory Hydra has it) has to be that of an access token; many say nothing.
 */
function checkTokenType({ token_type: type, token_use: use, cnf }: JsonObject): void {
  const isAccess = use === undefined || use === 'access' || use === 'access_token';
  const isKnown = type === undefined || (typeof type === 'string' && /^(bearer|dpop)$/i.test(type));
  if (!isAccess || !isKnown) throw new Refusal('token_type_not_allowed');
  // It is bound, and the answer does not say to which key: nobody could prove it.
  if (/^dpop$/i.test(String(type)) && cnf === undefined) throw new Refusal('token_bound');
}
