import type * as OpenTelemetry from '@opentelemetry/api';
import type { Log } from '../base/log.ts';
import { readTraceparent, type Tracing } from '../base/tracing.ts';

/** Where an OpenTelemetry SDK registers itself for the API, major version 1. */
const registered = Symbol.for('opentelemetry.js.api.1');

/** Null unless an OpenTelemetry SDK was loaded before the service (`node --import`). Its API comes with the SDK. */
export async function findTracing(version: string, log: Log): Promise<Tracing | null> {
  const sdk = (globalThis as { [registered]?: { readonly trace?: unknown } })[registered];
  if (sdk?.trace === undefined) return null;
  try {
    return createTracing(await import('@opentelemetry/api'), version);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    log.warn(
      'an OpenTelemetry SDK is loaded, but @opentelemetry/api is not installed beside the service: no traces are sent',
    );
    return null;
  }
}

/** Takes only the trace ids of a caller: `tracestate` and `baggage` may hold anything. */
function createTracing(api: typeof OpenTelemetry, version: string): Tracing {
  const { trace, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, createContextKey } = api;
  const tracer = trace.getTracer('vestibule', version);
  /** The current request. A timer that it started may outlive it. */
  const current = createContextKey('vestibule request');

  const parentOf = (header: string | undefined): OpenTelemetry.Context => {
    // An instrumentation of Node's HTTP has created a span already.
    if (trace.getSpan(context.active()) !== undefined) return context.active();
    const parent = readTraceparent(header);
    if (parent === null) return ROOT_CONTEXT;
    const { flags: traceFlags, ...ids } = parent;
    return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags, isRemote: true });
  };
  const contextOfCaller = (): OpenTelemetry.Context => {
    const request = context.active().getValue(current) as { readonly isOver: boolean } | undefined;
    return request?.isOver === false ? context.active() : ROOT_CONTEXT;
  };
  const finish = (
    span: OpenTelemetry.Span,
    status: number | null,
    fault: string | null,
    isError: boolean,
  ) => {
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (fault !== null) span.setAttribute('error.type', fault);
    if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };

  return {
    incoming({ method, route, id, traceparent }) {
      const parent = parentOf(traceparent);
      const attributes = { 'http.request.method': method, 'http.route': route, 'vestibule.request_id': id };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
      const request = { isOver: false };
      const within = trace.setSpan(parent, span).setValue(current, request);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => context.with(within, work),
        end(status, code) {
          request.isOver = true;
          finish(span, status, code, status >= 500);
        },
      };
    },

    outgoing({ method, to, isForCaller }) {
      const parent = isForCaller ? contextOfCaller() : ROOT_CONTEXT;
      const attributes = { 'http.request.method': method };
      const span = tracer.startSpan(`${method} ${to}`, { kind: SpanKind.CLIENT, attributes }, parent);
      const { traceId, spanId, traceFlags } = span.spanContext();
      const flags = traceFlags.toString(16).padStart(2, '0');
      return {
        headers: { traceparent: `00-${traceId}-${spanId}-${flags}` },
        end: (status, fault) => finish(span, status, fault, fault !== null),
      };
    },
  };
}
