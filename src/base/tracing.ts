/** Spans for OpenTelemetry (`ops/tracing`); null in its place without an SDK. A span holds nothing personal. */
export interface Tracing {
  incoming(request: IncomingRequest): RequestSpan;
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
  /** The receiver in one or two words, for the name of the span. */
  readonly to: string;
  /** The span is a child of the current request, if any. */
  readonly isForCaller: boolean;
}

export interface RequestSpan {
  readonly traceId: string;
  /** Outgoing requests of `work` are children of this span. */
  run(work: () => void): void;
  /** `code` is that of a refusal. */
  end(status: number, code: string | null): void;
}

export interface OutgoingSpan {
  readonly headers: Readonly<Record<string, string>>;
  /** `fault` is null on success. */
  end(status: number | null, fault: string | null): void;
}

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for a `traceparent` header that is missing or malformed (W3C Trace Context). */
export function readTraceparent(header: string | undefined): TraceParent | null {
  const match = header === undefined ? null : form.exec(header);
  if (match === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  // Version 00 has no further fields, and ff is invalid.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
