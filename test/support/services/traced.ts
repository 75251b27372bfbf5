import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

/** What an operator loads with `--import`: an SDK of OpenTelemetry, whose spans end up in a file of the test. */
const file = `${process.env.TEST_DIRECTORY}/spans.jsonl`;

const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(file, `${JSON.stringify(plain(span))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};

function plain(span: ReadableSpan) {
  const { traceId, spanId, traceState } = span.spanContext();
  const { name, kind, status, attributes, events, links, resource } = span;
  const parentId = span.parentSpanContext?.spanId ?? null;
  const state = traceState?.serialize() ?? null;
  const made = { attributes, events, links, resource: resource.attributes, scope: span.instrumentationScope };
  return { name, kind, status: status.code, traceId, spanId, parentId, state, ...made };
}

if (isMainThread) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
}
