import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BlockList, isIP, isIPv4, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { UsedProof } from '../base/caller.ts';
import type { Input, NowOrLater } from '../base/handler.ts';
import { type RequestSpan, readTraceparent } from '../base/tracing.ts';
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
    return this.#parts.refusals?.isReached(this.address) === true;
  }
}

export function isTrustedProxy(proxies: BlockList, address: string | undefined): boolean {
  const plain = withoutMapping(address ?? '');
  return isIP(plain) !== 0 && proxies.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/**
 * The address of a caller, for limits only; it is never stored. X-Forwarded-For counts only from a trusted proxy, and of its
 * entries only the last one that is not a trusted proxy: callers can invent the others. IPv6 addresses count by network.
 */
export function callerAddress(
  proxies: BlockList,
  peer: string | undefined,
  forwardedFor: string | undefined,
): string {
  if (forwardedFor === undefined || !isTrustedProxy(proxies, peer))
    return network(withoutMapping(peer ?? ''));
  const hops = forwardedFor.split(',').map((hop) => withoutMapping(withoutPort(hop.trim())));
  const caller = hops.findLast((hop) => !isTrustedProxy(proxies, hop)) ?? '';
  return network(isIP(caller) === 0 ? withoutMapping(peer ?? '') : caller);
}

export function peerAddress({ remoteAddress }: Socket): string {
  return network(withoutMapping(remoteAddress ?? ''));
}

/** A socket that listens on both families shows an IPv4 peer as ::ffff:a.b.c.d. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

/** Some proxies write the port too: a.b.c.d:port, [v6]:port; and some write [v6] without one. */
function withoutPort(hop: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}

/** An IPv6 address by its first 64 bits. */
function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = tail.split(':').filter((group) => group !== '');
  const zeros = address.includes('::') ? Array(Math.max(8 - left.length - right.length, 0)).fill('0') : [];
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
