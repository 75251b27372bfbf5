import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { UsedProof } from '../base/caller.ts';
import type { Input } from '../base/handler.ts';
import type { NowOrLater } from '../base/now-or-later.ts';
import { type RequestSpan, readTraceparent } from '../base/tracing.ts';
import { callerAddress } from './client-address.ts';
import type { RefusalLimit } from './refusal-limit.ts';
import { type Params, pathOf } from './router.ts';
import type { Turns } from './turns.ts';

export interface ContextParts {
  /** Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  readonly trustedProxies: BlockList;
  /** Limits the refusals of protected routes by address. */
  readonly refusals: RefusalLimit | null;
  readonly turns: Turns;
}

/** A request from its head to its answer. A handler sees its `Input`. */
export class RequestContext implements Input {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly params: Params;
  /** A time of performance.now(). */
  readonly startedAt = performance.now();
  /** The caller waits for a "100 Continue" before it sends its body. */
  readonly expectsContinue: boolean;
  hasContinued = false;
  body: Uint8Array | undefined = undefined;
  proof: UsedProof | null = null;
  span: RequestSpan | null = null;
  /** Whose turns the request takes; null before its own. */
  turnKey: string | null = null;
  leavePlace = () => {};
  readonly #parts: ContextParts;

  constructor(
    parts: ContextParts,
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    params: Params,
    expectsContinue: boolean,
  ) {
    this.#parts = parts;
    this.request = request;
    this.response = response;
    this.id = id;
    this.params = params;
    this.expectsContinue = expectsContinue;
  }

  get method(): string {
    return this.request.method ?? '';
  }

  /** Without scheme, host, query and fragment, as it was sent. */
  get path(): string {
    return pathOf(this.request.url ?? '');
  }

  get contentType(): string | undefined {
    return this.request.headers['content-type'];
  }

  get hasBody(): boolean {
    const { headers } = this.request;
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }

  get authorization(): string | undefined {
    return this.request.headers.authorization;
  }

  get query(): string {
    const [beforeFragment = ''] = (this.request.url ?? '').split('#', 1);
    const at = beforeFragment.indexOf('?');
    return at === -1 ? '' : beforeFragment.slice(at + 1);
  }

  /** The trace id of its span, or of the caller's `traceparent`. */
  get traceId(): string | null {
    if (this.span !== null) return this.span.traceId;
    const traceparent = this.header('traceparent');
    return traceparent === undefined ? null : (readTraceparent(traceparent)?.traceId ?? null);
  }

  header(name: string): string | undefined {
    // Repeated headers arrive joined (see http/limits).
    return this.request.headers[name] as string | undefined;
  }

  get address(): string {
    const { headers, socket } = this.request;
    const forwardedFor = headers['x-forwarded-for'] as string | undefined;
    return callerAddress(this.#parts.trustedProxies, socket.remoteAddress, forwardedFor);
  }

  hasHungUp(): boolean {
    const { socket } = this.request;
    // Node ends its side as soon as the other one has ended, and closes a little later.
    return this.response.destroyed || socket.destroyed || socket.writableEnded;
  }

  giveWay(): NowOrLater<void> {
    if (this.turnKey !== null) return this.#parts.turns.giveWay(this.turnKey);
  }

  onClose(callback: () => void): void {
    if (this.hasHungUp()) callback();
    else this.response.once('close', callback);
  }

  /** True if many requests from this address were refused in the last minute. */
  isSuspect(): boolean {
    const { refusals } = this.#parts;
    return refusals?.hasCounted() === true && refusals.isReached(this.address);
  }
}
