import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import type { Answer } from '../base/handler.ts';
import type { CorsHeaders } from './cors.ts';
import { fixedHeaders } from './headers.ts';
import type { Observe } from './observe.ts';
import { toProblem, toRefusal } from './problem.ts';
import type { RefusalLimit } from './refusal-limit.ts';

/** A request on its way through, whoever found its route: what the platform has of it, its name and its beginning. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** On the platform's monotonic clock, in milliseconds. */
  readonly startedAt: number;
}

export interface ExitParts {
  /** Callers come over HTTPS, whoever ends it. */
  readonly https: boolean;
  readonly observe: (pattern: string) => Observe;
  /** Limits the refusals of protected routes by where they come from. */
  readonly refusals: RefusalLimit | null;
  readonly addressOf: (request: IncomingMessage) => string;
}

interface ExitOptions {
  readonly pattern: string;
  /** Answers depend on the caller's token. */
  readonly personal: boolean;
  readonly cors: CorsHeaders | null;
  readonly unreadableBody?: ErrorCode | undefined;
}

/** The way out of one route: puts an answer or a refusal on the wire, and sees to it that it is counted. */
export class Exit {
  readonly #parts: ExitParts;
  readonly #options: ExitOptions;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #observe: Observe;

  constructor(parts: ExitParts, options: ExitOptions) {
    const { personal, cors, pattern } = options;
    this.#parts = parts;
    this.#options = options;
    this.#fixed = fixedHeaders({ https: parts.https, personal, cors: cors !== null });
    this.#observe = parts.observe(pattern);
  }

  /** Whether so many requests from there were refused of late that the next one deserves less trust. */
  isSuspicious(request: IncomingMessage): boolean {
    const { refusals, addressOf } = this.#parts;
    return refusals?.isReached(addressOf(request)) ?? false;
  }

  send(visit: Visit, { status, contentType, headers, text }: Answer): void {
    const all: Record<string, string> = { ...this.#fixed, ...headers };
    if (contentType !== null) all['content-type'] = contentType;
    this.#write(visit, status, all, text, null);
  }

  refuse(visit: Visit, error: unknown): void {
    const refusal = this.#counted(visit.request, this.#translated(toRefusal(error)));
    const { status, headers, body } = toProblem(refusal);
    const all: Record<string, string> = { ...this.#fixed, ...headers };
    // The rest of a body that nobody will read, or a process that is about to go: the connection ends here.
    if (status === 413 || refusal.code === 'shutting_down') all.connection = 'close';
    this.#write(visit, status, all, body, refusal);
  }

  /** A connection that broke before there was a request. */
  observeBroken(refusal: Refusal): void {
    const { status } = toProblem(refusal);
    this.#observe({ method: '(none)', status, milliseconds: 0, requestId: '', refusal });
  }

  #translated(refusal: Refusal): Refusal {
    const { unreadableBody } = this.#options;
    const isUnreadable = refusal.code === 'media_type_not_supported';
    return isUnreadable && unreadableBody !== undefined ? new Refusal(unreadableBody) : refusal;
  }

  #counted(request: IncomingMessage, refusal: Refusal): Refusal {
    const { refusals, addressOf } = this.#parts;
    const isTurnedAway = this.#options.personal && toProblem(refusal).status === 403;
    return isTurnedAway && refusals !== null ? refusals.count(addressOf(request), refusal) : refusal;
  }

  /** Straight to the platform: the library's own way of sending costs more than all the rest of a known caller's answer. */
  #write(
    { request, response, id, startedAt }: Visit,
    status: number,
    headers: Record<string, string | number>,
    text: string,
    refusal: Refusal | null,
  ): void {
    const { cors } = this.#options;
    headers['x-request-id'] = id;
    if (status !== 204) headers['content-length'] = Buffer.byteLength(text);
    if (cors !== null) Object.assign(headers, cors(request.headers.origin));
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(status, headers);
      // Plain ASCII, as most answers are, goes out without being encoded again.
      response.end(text, headers['content-length'] === text.length ? 'latin1' : 'utf8');
    }
    const milliseconds = performance.now() - startedAt;
    this.#observe({ method: request.method ?? '', status, milliseconds, requestId: id, refusal });
  }
}
