import { answer, type PublicHandler } from '../base/handler.ts';
import { Exposition } from './exposition.ts';
import type { KeySetStatus } from './health.ts';
import { describeProcess } from './process-metrics.ts';
import { RequestTally } from './request-tally.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(keySet: () => KeySetStatus) {
  const exposition = new Exposition();
  const tallies = new Map<string, RequestTally>();

  describeProcess(exposition);
  exposition.add(
    {
      name: 'http_requests_total',
      type: 'counter',
      help: 'Requests answered, by method, route pattern and status.',
    },
    () => [...tallies.values()].flatMap((tally) => tally.requests()),
  );
  const durations = 'http_request_duration_seconds';
  const durationHelp = 'Time from the head of a request to its answer, by route pattern.';
  exposition.add({ name: durations, type: 'histogram', help: durationHelp }, () =>
    [...tallies.values()].flatMap((tally) => tally.durations(durations)),
  );
  const countFailure = exposition.counter(
    'auth_failures_total',
    'Callers turned away because of their token or credentials, by reason code.',
    'reason',
  );
  const countKeyFetch = exposition.counter(
    'jwks_fetches_total',
    'Tries to fetch the keys of the identity provider, by result: "ok" or what went wrong.',
    'result',
  );
  const countRefusedConnection = exposition.counter(
    'connections_refused_total',
    'Connections closed at once because too many are open, by what there are too many of: "all" or "address".',
    'reason',
  );
  describeKeySet(exposition, keySet);
  let isScrubDue = false;
  exposition.gauge(
    'storage_scrub_due',
    '1 when erased callers may have left copies in the SQLite file: see "npx vestibule scrub".',
    () => Number(isScrubDue),
  );

  return {
    /** Measures the requests of one route. */
    meter(route: string) {
      const tally = tallies.get(route) ?? new RequestTally(route);
      tallies.set(route, tally);
      return (method: string, status: number, seconds: number, refusalCode: string | null): void => {
        tally.add(method, status, seconds);
        if (refusalCode === null || refusalCode === 'https_required') return;
        if ([401, 403, 429].includes(status)) countFailure(refusalCode);
      };
    },
    /** A connection that was closed because there are too many, in all or from its address. */
    countRefusedConnection,
    watchConnections: (open: () => number) =>
      exposition.gauge('connections_open', 'Connections open now.', open),
    watchLog(droppedLines: () => number) {
      const help = 'Log lines that were never written, because nobody took those before them.';
      exposition.add({ name: 'log_lines_dropped_total', type: 'counter', help }, () => [
        { labels: {}, value: droppedLines() },
      ]);
    },
    /** A try to fetch the provider's keys: null when it went well. */
    countKeyFetch: (fault: string | null) => countKeyFetch(fault ?? 'ok'),
    setScrubDue(isDue: boolean) {
      isScrubDue = isDue;
    },
    expose: (() => answer(exposition.contentType, exposition.text())) satisfies PublicHandler,
  };
}

function describeKeySet(exposition: Exposition, keySet: () => KeySetStatus): void {
  const describe = (name: string, help: string, value: (status: KeySetStatus) => number) =>
    exposition.gauge(name, help, () => value(keySet()));
  describe(
    'jwks_age_seconds',
    'Seconds since the keys of the identity provider were fetched; NaN while there are none.',
    ({ ageSeconds }) => ageSeconds ?? Number.NaN,
  );
  describe(
    'jwks_stale_seconds_left',
    'Seconds until the keys are too old to be used.',
    (keys) => keys.staleLeftSeconds,
  );
  describe(
    'jwks_next_fetch_seconds',
    'Seconds until the keys are fetched again.',
    (keys) => keys.nextFetchSeconds,
  );
  describe('jwks_usable_keys', 'Keys of the provider that may verify tokens.', (keys) => keys.keys);
  describe(
    'jwks_alarming_keys',
    'Published keys that nobody should use: weak, symmetric, private, ambiguous.',
    (keys) => keys.alarmingKeys,
  );
}
