import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { describe, type ErrorCode, Refusal } from '../base/errors.ts';
import type { Answer } from '../base/handler.ts';
import type { CorsHeaders } from './cors.ts';
import { cacheControlAt, fixedHeaders } from './headers.ts';
import type { Limits } from './limits.ts';
import type { Observe } from './observe.ts';
import { toProblem, toRefusal } from './problem.ts';
import type { Visit, Whereabouts } from './visit.ts';

export interface ExitParts extends Whereabouts {
  readonly limits: Limits;
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
  readonly contentPolicy?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The way out of one route: puts an answer or a refusal on the wire, and sees to it that it is counted. */
export class Exit {
  readonly #parts: ExitParts;
  readonly #options: ExitOptions;
  readonly #fixed: readonly string[];
  /** The head of most answers, with room for what is each one's own. */
  readonly #usual: readonly string[];
  readonly #observe: Observe;
  readonly #keepAlive: string;

  constructor(parts: ExitParts, options: ExitOptions) {
    const { personal, cors, pattern, contentPolicy, headers } = options;
    this.#parts = parts;
    this.#options = options;
    this.#fixed = fixedHeaders({ https: parts.https, personal, cors: cors !== null, contentPolicy, headers });
    this.#usual = [...this.#fixed, 'x-request-id', '', 'content-length', '', 'content-type', ''];
    this.#observe = parts.observe(pattern);
    this.#keepAlive = `timeout=${parts.limits.keepAliveSeconds}`;
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
    const isTurnedAway = this.#options.personal && isTurnedAwayAtTheDoor(refusal.code);
    return isTurnedAway && refusals !== null ? refusals.count(visit.address, refusal) : refusal;
  }

  /** Straight to the platform: the library's own way of sending costs more than all the rest of a known caller's answer. */
  #write(visit: Visit, answer: Answer, refusal: Refusal | null): void {
    const { request, response, id } = visit;
    const { status, text, chunks } = answer;
    if (!response.headersSent && !response.destroyed) {
      const head = this.#head(id, answer);
      // The rest of a body that nobody will read, or a process that is about to go: the connection ends here.
      const isLast = status === 413 || refusal?.code === 'shutting_down' || !response.shouldKeepAlive;
      if (isLast) head.push('connection', 'close');
      else head.push('keep-alive', this.#keepAlive);
      if (this.#options.cors !== null) head.push(...this.#options.cors(request.headers.origin));
      response.writeHead(status, head);
      if (chunks !== null) return void this.#pour(visit, status, chunks);
      // Plain ASCII, as most answers are, goes out without being encoded again.
      response.end(text, answer.isAscii ? 'latin1' : 'utf8');
    }
    this.#finish(visit, status, refusal);
  }

  #finish({ request, startedAt, id }: Visit, status: number, refusal: Refusal | null): void {
    this.#observe(request.method ?? '', status, performance.now() - startedAt, id, refusal);
  }

  /** As fast as the caller takes it. Where it breaks half-way the connection does, so that nobody takes a part for the whole. */
  async #pour(visit: Visit, status: number, chunks: AsyncIterable<string>): Promise<void> {
    const { request, response } = visit;
    try {
      await pipeline(request.method === 'HEAD' ? [] : chunks, response);
      this.#finish(visit, status, null);
    } catch (error) {
      const isCallerGone = (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
      this.#finish(visit, status, isCallerGone ? null : toRefusal(error));
    }
  }

  #head(id: string, { contentType, contentLength, cacheControl, chunks, head: own }: Answer): string[] {
    if (contentType === null) return [...this.#fixed, 'x-request-id', id, ...own];
    if (chunks !== null) return [...this.#fixed, 'x-request-id', id, 'content-type', contentType, ...own];
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

/** Whoever is let in and asks for too much is no stranger at the door. */
const forMembers: ReadonlySet<ErrorCode> = new Set([
  'client_not_admitted',
  'not_owner',
  'action_not_allowed',
]);

function isTurnedAwayAtTheDoor(code: ErrorCode): boolean {
  return describe(code).status === 403 && !forMembers.has(code);
}
