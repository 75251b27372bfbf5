/**
 * What traces are told of. Who implements it decides who hears of it (`ops/tracing`); where nobody listens there is null
 * in its place, and nothing is done. A span says what kind of thing was done, never for whom: a route's pattern, a
 * status, a code of ours.
 */
export interface Tracing {
  /** A request that came in, from its head to its answer. */
  incoming(request: IncomingRequest): RequestSpan;
  /** A request of ours. One for a caller who waits for it belongs to the trace of that caller's request. */
  outgoing(request: OutgoingRequest): OutgoingSpan;
}

export interface IncomingRequest {
  readonly method: string;
  readonly route: string;
  readonly id: string;
  readonly traceparent: string | undefined;
}

export interface OutgoingRequest {
  readonly method: string;
  /** Whom it goes to, in one word or two: it becomes the name of the span. */
  readonly to: string;
  /** It is made for a caller, if a request is under way where it begins. */
  readonly isForCaller: boolean;
}

export interface RequestSpan {
  readonly traceId: string;
  /** Runs what answers the request, so that what is asked of others meanwhile belongs to it. */
  run(work: () => void): void;
  /** `code` is that of a refusal. */
  end(status: number, code: string | null): void;
}

export interface OutgoingSpan {
  /** To be sent with it (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
  /** `fault` is a word of a closed list; null when all went well. */
  end(status: number | null, fault: string | null): void;
}

/** The parent of a request, as its caller names it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for a `traceparent` header that is missing or not as W3C Trace Context has it: then it is ignored. */
export function readTraceparent(header: string | undefined): TraceParent | null {
  const match = header === undefined ? null : form.exec(header);
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  // Version 00 has nothing more; a later one may, and ff is none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
