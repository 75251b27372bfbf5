import { performance } from 'node:perf_hooks';
import { describe, type ErrorCode, Refusal } from '../base/errors.ts';
import type { Answer } from '../base/handler.ts';
import type { CorsHeaders } from './cors.ts';
import { cacheControlAt, fixedHeaders } from './headers.ts';
import type { Observe } from './observe.ts';
import { toProblem, toRefusal } from './problem.ts';
import type { Visit, Whereabouts } from './visit.ts';

export interface ExitParts extends Whereabouts {
  /** Callers come over HTTPS, whoever ends it. */
  readonly https: boolean;
  readonly observe: (pattern: string) => Observe;
  /** The address of the document that says who issues tokens for here (RFC 9728). */
  readonly resourceMetadata: string | null;
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
  readonly #fixed: readonly string[];
  /** The head of most answers, with room for what is each one's own. */
  readonly #usual: readonly string[];
  readonly #observe: Observe;

  constructor(parts: ExitParts, options: ExitOptions) {
    const { personal, cors, pattern } = options;
    this.#parts = parts;
    this.#options = options;
    this.#fixed = fixedHeaders({ https: parts.https, personal, cors: cors !== null });
    this.#usual = [...this.#fixed, 'x-request-id', '', 'content-length', '', 'content-type', ''];
    this.#observe = parts.observe(pattern);
  }

  send(visit: Visit, answer: Answer): void {
    this.#write(visit, answer, null);
  }

  refuse(visit: Visit, error: unknown): void {
    const refusal = this.#counted(visit, this.#translated(toRefusal(error)));
    this.#write(visit, toProblem(refusal, this.#parts.resourceMetadata), refusal);
  }

  /** A connection that broke before there was a request. */
  observeBroken(refusal: Refusal): void {
    const { status } = describe(refusal.code);
    this.#observe('(none)', status, 0, '', refusal);
  }

  #translated(refusal: Refusal): Refusal {
    const { unreadableBody } = this.#options;
    const isUnreadable = refusal.code === 'media_type_not_supported';
    return isUnreadable && unreadableBody !== undefined ? new Refusal(unreadableBody) : refusal;
  }

  #counted(visit: Visit, refusal: Refusal): Refusal {
    const { refusals } = this.#parts;
    const isTurnedAway = this.#options.personal && describe(refusal.code).status === 403;
    return isTurnedAway && refusals !== null ? refusals.count(visit.address, refusal) : refusal;
  }

  /** Straight to the platform: the library's own way of sending costs more than all the rest of a known caller's answer. */
  #write({ request, response, id, startedAt }: Visit, answer: Answer, refusal: Refusal | null): void {
    const { status, text } = answer;
    if (!response.headersSent && !response.destroyed) {
      const head = this.#head(id, answer);
      // The rest of a body that nobody will read, or a process that is about to go: the connection ends here.
      if (status === 413 || refusal?.code === 'shutting_down') head.push('connection', 'close');
      if (this.#options.cors !== null) head.push(...this.#options.cors(request.headers.origin));
      response.writeHead(status, head);
      // Plain ASCII, as most answers are, goes out without being encoded again.
      response.end(text, answer.isAscii ? 'latin1' : 'utf8');
    }
    this.#observe(request.method ?? '', status, performance.now() - startedAt, id, refusal);
  }

  #head(id: string, { contentType, contentLength, cacheControl, head: own }: Answer): string[] {
    if (contentType === null) return [...this.#fixed, 'x-request-id', id, ...own];
    const head = this.#usual.slice();
    const end = head.length;
    head[end - 5] = id;
    head[end - 3] = contentLength;
    head[end - 1] = contentType;
    if (cacheControl !== null) head[cacheControlAt] = cacheControl;
    if (own.length > 0) head.push(...own);
    return head;
  }
}
