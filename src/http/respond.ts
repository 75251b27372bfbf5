import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { isDpop } from '../base/caller.ts';
import { describe, Refusal } from '../base/errors.ts';
import type { Answer, Outlet } from '../base/handler.ts';
import type { Observe } from '../ops/observe-requests.ts';
import { bytesOfSharedAnswer, discardBody, isTooLong, type UnsentAnswers } from './body.ts';
import type { Connections } from './connections.ts';
import { type Circumstances, type CorsHeaders, cacheControlAt, fixedHeaders } from './headers.ts';
import type { Limits } from './limits.ts';
import { type DpopTerms, toProblem, toRefusal, unchallenged } from './problem.ts';
import { countsAsRefused } from './refusal-limit.ts';
import type { ContextParts, RequestContext } from './request-context.ts';

export interface ResponderParts extends ContextParts {
  readonly limits: Limits;
  readonly connections: Connections;
  readonly unsent: UnsentAnswers;
  /** Callers come over HTTPS, which ends here or at a proxy. */
  readonly https: boolean;
  readonly observe: (pattern: string) => Observe;
  /** The address of the document of RFC 9728. */
  readonly resourceMetadata: string | null;
  /** Null where no token may be bound to a key. */
  readonly dpop: DpopTerms | null;
}

interface ResponderOptions extends Omit<Circumstances, 'https' | 'cors'> {
  readonly pattern: string;
  /** Answers carry the nonce for the next DPoP proof. */
  readonly sendsNonce?: boolean;
  /** Refusals of this route count for the limit by address. */
  readonly countsRefusals?: boolean;
  readonly cors: CorsHeaders | null;
}

/** Limits, in time and bytes, for discarding the rest of a request body before the connection closes. */
const lingerMs = 1_000;
const lingerBytes = 4 * 1024 * 1024;

/** Sends the answers and refusals of one route, and has each counted. */
export class Responder {
  readonly #parts: ResponderParts;
  readonly #options: ResponderOptions;
  readonly #fixed: readonly string[];
  readonly #observe: Observe;
  readonly #keepAlive: string;
  readonly #nonce: (() => string) | null;

  constructor(parts: ResponderParts, options: ResponderOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#fixed = fixedHeaders({ ...options, https: parts.https, cors: options.cors !== null });
    this.#observe = parts.observe(options.pattern);
    this.#nonce = options.sendsNonce ? (parts.dpop?.nonce ?? null) : null;
    this.#keepAlive = `timeout=${parts.limits.keepAliveSeconds}`;
  }

  get pattern(): string {
    return this.#options.pattern;
  }

  /** Never throws, and neither does `refuse`: an uncaught error would end the process. */
  send(context: RequestContext, answer: Answer): void {
    try {
      this.#write(context, answer, null);
    } catch (error) {
      if (error instanceof Refusal && !context.response.headersSent) this.refuse(context, error);
      else this.#fail(context, error);
    }
  }

  refuse(context: RequestContext, error: unknown): void {
    const { turns } = this.#parts;
    const refuse = () => this.#refuseNow(context, error);
    // A request without a turn of its own takes one of its address: many connections would else be answered all at once.
    // One with a body does not wait: unread chunks of a byte would take a hundred times their size.
    const hasTurn = context.turnKey !== null || context.hasBody;
    context.turnKey ??= context.address;
    try {
      const work = { key: context.turnKey, run: refuse, hasHungUp: () => context.hasHungUp() };
      if (hasTurn) refuse();
      else turns.take(work)?.catch(refuse);
    } catch {
      refuse();
    }
  }

  #refuseNow(context: RequestContext, error: unknown): void {
    try {
      this.#writeRefusal(context, toRefusal(error));
    } catch (fault) {
      this.#fail(context, fault);
    }
  }

  #writeRefusal(context: RequestContext, given: Refusal): void {
    const { connections, refusals, resourceMetadata, dpop } = this.#parts;
    const isCounted = this.#options.countsRefusals === true && countsAsRefused(given.code);
    const refusal = isCounted ? (refusals?.count(context.address, given) ?? given) : given;
    const isLast = isCounted && connections.isRefusedTooOften(context.request.socket);
    const challenged = { resourceMetadata, dpop, byDpop: isDpop(context.authorization) };
    this.#write(context, toProblem(refusal, challenged), refusal, isLast);
  }

  /** For an answer that cannot be written (a bug): a 500 without headers of its own, or a closed connection if it has begun. */
  #fail(context: RequestContext, error: unknown): void {
    const refusal = new Refusal('internal', { cause: error });
    try {
      if (context.response.headersSent) throw error;
      this.#write(context, toProblem(refusal, unchallenged), refusal);
    } catch {
      context.response.destroy();
      this.#finish(context, describe(refusal.code).status, refusal);
    }
  }

  observeBroken(refusal: Refusal): void {
    const { status } = describe(refusal.code);
    this.#observe('(none)', status, 0, '', refusal, null);
  }

  #write(context: RequestContext, answer: Answer, refusal: Refusal | null, isToldLast = false): void {
    const { request, response, id } = context;
    const { status, text, chunks, live } = answer;
    // The connection broke, and http/server has answered and counted that.
    if (request.socket.writableEnded) return void context.span?.end(status, 'connection_broken');
    if (response.headersSent || response.destroyed) {
      this.#finish(context, status, refusal);
      return;
    }
    if (chunks !== null) this.#parts.unsent.holdPieces(response, context.address);
    const head = this.#head(id, answer);
    const hasLeftover = !request.complete && context.hasBody;
    const isEndless = hasLeftover && (status === 413 || isTooLong(request, this.#parts.limits.maxBodyBytes));
    // Node closes after an expectation that was not met, and its parser loses what follows a request to upgrade.
    const isNodesLast =
      (context.expectsContinue && !context.hasContinued) || request.headers.upgrade !== undefined;
    const isLast =
      isToldLast ||
      isEndless ||
      isNodesLast ||
      // A stream mostly ends because this process stops.
      live !== null ||
      this.#parts.connections.isClosing ||
      !response.shouldKeepAlive;
    if (isLast) head.push('connection', 'close');
    else head.push('keep-alive', this.#keepAlive);
    if (this.#nonce !== null) head.push('dpop-nonce', this.#nonce());
    if (this.#options.cors !== null) head.push(...this.#options.cors(request.headers.origin));
    response.writeHead(status, head);
    if (chunks !== null) return void this.#drain(context, status, chunks);
    if (live !== null) {
      this.#hold(context, status, live);
      return;
    }
    // Plain ASCII, as most answers are, goes out without being encoded again.
    const encoding = answer.isAscii ? 'latin1' : 'utf8';
    if (hasLeftover && isLast) this.#endLater(context, text, encoding);
    else response.end(text, encoding);
    if (hasLeftover && !isLast) this.#keepConnection(request);
    // A large answer is counted when the system has taken it.
    const end = (cutOff: Refusal | null) =>
      this.#finish(context, status, cutOff ?? refusal, !response.writableFinished);
    const bytes = typeof text === 'string' ? text.length : bytesOfSharedAnswer;
    const isHeld =
      response.writableLength > 0 && this.#parts.unsent.hold(response, bytes, () => context.address, end);
    if (!isHeld) this.#finish(context, status, refusal);
  }

  /** Discards the rest of the body before the next request, up to a limit. */
  #keepConnection(request: IncomingMessage): void {
    discardBody(request, this.#parts.limits.maxBodyBytes, (hasEnded) => {
      if (!hasEnded) request.socket.destroy();
    });
  }

  /** Closing at once, with bytes still coming in, would reset the connection, and the reset may overtake the answer. */
  #endLater({ request, response }: RequestContext, text: Answer['text'], encoding: 'latin1' | 'utf8'): void {
    response.write(text, encoding);
    const timer = setTimeout(() => response.end(), lingerMs);
    discardBody(request, lingerBytes, () => {
      clearTimeout(timer);
      response.end();
    });
  }

  #finish(context: RequestContext, status: number, refusal: Refusal | null, isCutOff = false): void {
    const { request, startedAt, id, traceId } = context;
    const duration = performance.now() - startedAt;
    this.#observe(request.method ?? '', status, duration, id, refusal, traceId, isCutOff);
    context.span?.end(status, refusal?.code ?? null);
  }

  /** As fast as the caller takes it. An error half-way closes the connection, so that a part cannot pass for the whole. */
  async #drain(context: RequestContext, status: number, chunks: AsyncIterable<string>): Promise<void> {
    const { request, response } = context;
    try {
      await pipeline(request.method === 'HEAD' ? [] : chunks, response);
      this.#finish(context, status, null);
    } catch (error) {
      const isCallerGone = (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
      this.#finish(context, status, isCallerGone ? null : toRefusal(error), true);
    }
  }

  /** A stream is counted when it ends. */
  #hold(context: RequestContext, status: number, live: NonNullable<Answer['live']>): void {
    const { request, response } = context;
    // Small pieces are to go out as they come.
    request.socket.setNoDelay(true);
    response.flushHeaders();
    live(outletOf(response));
    // Node says so in a later turn, whatever ended it.
    response.once('close', () => this.#finish(context, status, null));
    if (request.method === 'HEAD') response.end();
  }

  #head(id: string, { contentType, contentLength, cacheControl, chunks, live, head: own }: Answer): string[] {
    const head = [...this.#fixed, 'x-request-id', id];
    if (cacheControl !== null) head[cacheControlAt] = cacheControl;
    if (contentType !== null) {
      head.push('content-type', contentType);
      if (chunks === null && live === null) head.push('content-length', contentLength);
    }
    if (own.length > 0) head.push(...own);
    return head;
  }
}

function outletOf(response: ServerResponse): Outlet {
  const isOver = () => response.destroyed || response.writableEnded;
  return {
    get unsent() {
      return response.writableLength;
    },
    write(text) {
      if (!isOver()) response.write(text);
    },
    send: (text) =>
      new Promise((resolve) => {
        if (isOver()) return resolve();
        response.once('close', resolve);
        response.write(text, () => {
          response.off('close', resolve);
          resolve();
        });
      }),
    end: () => void response.end(),
    cut: () => void response.destroy(),
    onClose: (callback) => void response.once('close', callback),
  };
}
