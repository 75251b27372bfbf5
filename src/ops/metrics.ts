import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ok, type PublicHandler } from '../base/handler.ts';

/** One finished request. Every field is one of a few known values: nothing a caller sends becomes a label. */
export interface Observation {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The code of the refusal, when it was one. */
  readonly code: string | null;
}

export interface Metrics {
  observe(observation: Observation): void;
  readonly expose: PublicHandler;
}

export function createMetrics(keySetAgeSeconds: () => number | null): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer, by route pattern.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const failures = new Counter({
    name: 'auth_failures_total',
    help: 'Callers turned away because of their token or credentials, by reason code.',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'jwks_age_seconds',
    help: 'Seconds since the keys of the identity provider were last fetched; NaN while there are none.',
    registers,
    collect() {
      this.set(keySetAgeSeconds() ?? Number.NaN);
    },
  });

  return {
    observe({ method, route, status, seconds, code }) {
      requests.inc({ method, route, status });
      durations.observe({ route }, seconds);
      if (code !== null && (status === 401 || status === 403)) failures.inc({ reason: code });
    },
    expose: async () => ({ ...ok(await registry.metrics()), contentType: registry.contentType }),
  };
}
