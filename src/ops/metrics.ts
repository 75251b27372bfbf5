import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { catalogue } from '../base/errors.ts';
import { answer, type PublicHandler } from '../base/handler.ts';
import { Exposition, expositionText, expositionType, type Reader } from './exposition.ts';
import { durationBounds, Histogram, RequestTally } from './observe-requests.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** A batch has 256 writes at most, or a few more if the last one is a batch of a caller. */
const batchSizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The counters of the service. Its gauges are added in `app/watch`. */
export function createMetrics() {
  const exposition = new Exposition();
  const tallies = new Map<string, RequestTally>();
  const batchSizes = new Histogram(batchSizeBounds);
  const batchDurations = new Histogram(durationBounds);
  describeProcess(exposition);
  exposition.add('vestibule_http_requests_total', () =>
    [...tallies.values()].flatMap((tally) => tally.requests()),
  );
  exposition.add('vestibule_http_request_duration_seconds', () =>
    [...tallies.values()].flatMap((tally) => tally.durations()),
  );
  exposition.add('vestibule_write_batch_size', () => batchSizes.samples());
  exposition.add('vestibule_write_batch_duration_seconds', () => batchDurations.samples());
  const countRefusal = exposition.counter('vestibule_refusals_total', 'code', Object.keys(catalogue));
  const countFailure = exposition.counter('vestibule_auth_failures_total', 'reason');
  const countKeyFetch = exposition.providerCounter('vestibule_jwks_fetches_total');

  return {
    exposition,
    tallyOf(route: string): RequestTally {
      const tally = tallies.get(route) ?? new RequestTally(route);
      tallies.set(route, tally);
      return tally;
    },
    countRefusal(code: string, status: number): void {
      countRefusal(code);
      if (code !== 'https_required' && [401, 403, 429].includes(status)) countFailure(code);
    },
    countBatch(size: number, seconds: number): void {
      batchSizes.add(size);
      batchDurations.add(seconds);
    },
    countReload: exposition.counter('vestibule_write_reloads_total', 'lookup'),
    countRefusedConnection: exposition.counter('vestibule_connections_refused_total', 'reason', [
      'all',
      'address',
    ]),
    countWebhookTry: exposition.counter('vestibule_webhook_deliveries_total', 'result'),
    countSignOut: exposition.counter('vestibule_sign_outs_total', 'by', ['logout', 'client']),
    /** `fault` is null after a successful fetch. */
    countKeyFetch: (provider: string, fault: string | null) => countKeyFetch(provider, fault ?? 'ok'),
    families: (reader?: Reader) => exposition.families(reader),
    expose: (() => answer(expositionType, expositionText(exposition.families()))) satisfies PublicHandler,
  };
}

/** A finer resolution of the event loop's delay would make requests slower. */
const resolutionMs = 100;

export function describeProcess(exposition: Exposition): void {
  const startedAt = Date.now() / 1000 - process.uptime();
  const delays = { scrape: watchDelay(), console: watchDelay() };
  const lateBy = (nanoseconds: number) => Math.max(nanoseconds / 1e9 - resolutionMs / 1000, 0);
  exposition.watch({
    process_cpu_seconds_total: cpuSeconds,
    process_start_time_seconds: () => startedAt,
    process_resident_memory_bytes: () => process.memoryUsage.rss(),
    process_open_fds: countOpenFiles,
    nodejs_heap_size_used_bytes: () => getHeapStatistics().used_heap_size,
    nodejs_heap_size_total_bytes: () => getHeapStatistics().total_heap_size,
    nodejs_external_memory_bytes: () => process.memoryUsage().external,
    nodejs_eventloop_lag_mean_seconds: (reader) => lateBy(delays[reader].mean),
    nodejs_eventloop_lag_p99_seconds: (reader) => lateBy(delays[reader].percentile(99)),
    nodejs_eventloop_lag_max_seconds(reader) {
      const worst = lateBy(delays[reader].max);
      // The last of the three begins the next period.
      delays[reader].reset();
      return worst;
    },
  });
}

function watchDelay() {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  return delay;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
