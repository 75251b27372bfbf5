import { STATUS_CODES } from 'node:http';
import { describe, type ErrorCode, Refusal } from '../base/errors.ts';
import { type Answer, answer } from '../base/handler.ts';
import { writeScopes } from '../base/scopes.ts';

const realm = 'Bearer realm="vestibule"';

/** The one place where an error becomes bytes. `resourceMetadata` is where callers learn who issues tokens for here. */
export function toProblem(refusal: Refusal, resourceMetadata: string | null): Answer {
  const { status, sentence, emptyBody, oauthError } = describe(refusal.code);
  const headers = { ...challenge(refusal, resourceMetadata), ...hints(refusal) };
  if (emptyBody) return answer('application/json', '{}', { status, headers });
  if (oauthError !== undefined) {
    const error = { error: oauthError, error_description: sentence };
    return answer('application/json', JSON.stringify(error), { status, headers });
  }
  const { code, options } = refusal;
  const problem = { type: `urn:vestibule:error:${code}`, title: sentence, status, code, ...options.members };
  return answer('application/problem+json', JSON.stringify(problem), { status, headers });
}

/** How to come back with what will do: RFC 6750 section 3 for tokens, RFC 9110 section 11.6.1 for a client. */
function challenge({ code, options }: Refusal, resourceMetadata: string | null): Record<string, string> {
  const { status, challenge: error, sentence } = describe(code);
  if (status === 401) return { 'www-authenticate': 'Basic realm="vestibule", charset="UTF-8"' };
  if (error === undefined) return {};
  const attributes =
    error === null ? [] : [`error="${error}"`, `error_description="${sentence.replaceAll('"', "'")}"`];
  if (options.scope !== undefined) attributes.push(`scope="${writeScopes(options.scope)}"`);
  if (resourceMetadata !== null) attributes.push(`resource_metadata="${resourceMetadata}"`);
  return { 'www-authenticate': [realm, ...attributes].join(', ') };
}

function hints({ code, options }: Refusal): Record<string, string> {
  const retryAfter = options.retryAfterSeconds ?? (describe(code).status === 503 ? 1 : undefined);
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(options.allow === undefined ? {} : { allow: options.allow.join(', ') }),
    ...options.headers,
  };
}

/** What Node's HTTP parser reports, in the words of the catalogue. */
const parserCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** A request that Node could not make sense of, or would not wait for any longer: never a bug of ours. */
export function brokenRequest(error: { readonly code?: string }): Refusal {
  return new Refusal(parserCodes[error.code ?? ''] ?? 'bad_request', { cause: error });
}

/** Any error as a refusal: what is none already is a bug of ours. */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('internal', { cause: error });
}

/** A complete answer for a connection that broke before there was a request to answer. */
export function rawProblem(refusal: Refusal, headers: readonly string[]): string {
  const { status, head, contentType, contentLength, text } = toProblem(refusal, null);
  const about = ['content-type', contentType, 'content-length', contentLength, 'connection', 'close'];
  const all = [...headers, ...head, ...about];
  const lines = all.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
