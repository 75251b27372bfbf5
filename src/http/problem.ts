import { STATUS_CODES } from 'node:http';
import { describe, type ErrorCode, Refusal } from '../base/errors.ts';
import { type Answer, answer } from '../base/handler.ts';
import { challengeOf, problemOf, retryAfterOf } from '../base/problem.ts';

const realm = 'vestibule';

/** The rules for tokens that are bound to a key (RFC 9449). */
export interface DpopTerms {
  readonly algorithms: readonly string[];
  /** Other tokens are refused. */
  readonly isRequired: boolean;
  /** The nonce that the next proof has to contain; null without nonces. */
  readonly nonce: (() => string) | null;
}

interface Challenged {
  /** The document that says who issues tokens for this service (RFC 9728). */
  readonly resourceMetadata: string | null;
  readonly dpop: DpopTerms | null;
  readonly byDpop: boolean;
}

export const unchallenged: Challenged = { resourceMetadata: null, dpop: null, byDpop: false };

/** The one place of the service where an error becomes bytes. */
export function toProblem(refusal: Refusal, challenged: Challenged): Answer {
  const { status, sentence, emptyBody, oauthError } = describe(refusal.code);
  const headers = { ...challenge(refusal, challenged), ...hints(refusal) };
  if (emptyBody) return answer('application/json', '{}', { status, headers });
  if (oauthError !== undefined) {
    const error = { error: oauthError, error_description: sentence };
    return answer('application/json', JSON.stringify(error), { status, headers });
  }
  const problem = JSON.stringify(problemOf(refusal, status));
  return answer('application/problem+json', problem, { status, headers });
}

/**
 * WWW-Authenticate: RFC 6750 section 3 and RFC 9449 section 7.1 for tokens, RFC 9110 section 11.6.1 for a client. The scheme
 * that was tried has the error. A refusal of DPoP has one challenge only: some clients look for `use_dpop_nonce` in the first.
 */
function challenge(refusal: Refusal, challenged: Challenged): Record<string, string> {
  const { resourceMetadata, dpop, byDpop } = challenged;
  const { status, challenge } = describe(refusal.code);
  if (status === 401) return { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` };
  if (challenge === undefined) return {};
  const isDpopOnly = dpop !== null && (byDpop || dpop.isRequired);
  const tried = challengeOf(isDpopOnly ? 'DPoP' : 'Bearer', refusal, realm, resourceMetadata);
  if (dpop === null) return { 'www-authenticate': tried };
  const algorithms = `algs="${dpop.algorithms.join(' ')}"`;
  return { 'www-authenticate': `${tried}, ${isDpopOnly ? '' : 'DPoP '}${algorithms}` };
}

function hints(refusal: Refusal): Record<string, string> {
  const { options } = refusal;
  const retryAfter = retryAfterOf(refusal);
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(options.allow === undefined ? {} : { allow: options.allow.join(', ') }),
    ...options.headers,
  };
}

const parserCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** For a request that Node could not parse, or that did not arrive in time. */
export function brokenRequest(error: { readonly code?: string }): Refusal {
  return new Refusal(parserCodes[error.code ?? ''] ?? 'bad_request', { cause: error });
}

/** Any other error is a bug of ours. */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('internal', { cause: error });
}

/** A complete answer for a connection that broke before there was a request to answer. */
export function rawProblem(refusal: Refusal, headers: readonly string[]): string {
  const { status, head, contentType, contentLength, text } = toProblem(refusal, unchallenged);
  const about = ['content-type', contentType, 'content-length', contentLength, 'connection', 'close'];
  const all = [...headers, ...head, ...about];
  const lines = all.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
