import { catalogue } from '../base/errors.ts';
import { answer, type PublicHandler } from '../base/handler.ts';
import { Exposition, expositionText, expositionType } from './exposition.ts';
import { durationBounds, Histogram, RequestTally } from './observe-requests.ts';
import { describeProcess } from './process-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** A batch has 256 operations at most. */
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
    countRefusedConnection: exposition.counter('vestibule_connections_refused_total', 'reason', [
      'all',
      'address',
    ]),
    countWebhookTry: exposition.counter('vestibule_webhook_deliveries_total', 'result'),
    countSignOut: exposition.counter('vestibule_sign_outs_total', 'by', ['logout', 'client']),
    /** `fault` is null when the fetch went well. */
    countKeyFetch: (provider: string, fault: string | null) => countKeyFetch(provider, fault ?? 'ok'),
    countIntrospection: exposition.providerCounter('vestibule_introspections_total'),
    families: () => exposition.families(),
    expose: (() => answer(expositionType, expositionText(exposition.families()))) satisfies PublicHandler,
  };
}
