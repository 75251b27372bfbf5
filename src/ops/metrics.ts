import type { Clock } from '../base/clock.ts';
import { catalogue } from '../base/errors.ts';
import { answer, type PublicHandler } from '../base/handler.ts';
import type { SessionStatus } from '../storage/port.ts';
import { Exposition, expositionText, expositionType, type Sample } from './exposition.ts';
import type { KeySetStatus } from './health.ts';
import { describeKeySets } from './key-metrics.ts';
import { describeProcess } from './process-metrics.ts';
import { RequestTally } from './request-tally.ts';
import { describeWebhooks, type WebhookStatus } from './webhook-metrics.ts';
import {
  describeBatches,
  describeSessions,
  describeWriteQueue,
  type WriteQueueStatus,
} from './write-metrics.ts';

interface BuildInfo {
  readonly version: string;
  readonly commit: string | null;
}

interface TokenCacheStatus {
  readonly places: number;
  readonly hits: number;
  readonly misses: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(keySets: () => readonly KeySetStatus[]) {
  const exposition = new Exposition();
  const tallies = new Map<string, RequestTally>();

  describeProcess(exposition);
  exposition.add(
    {
      name: 'vestibule_http_requests_total',
      type: 'counter',
      help: 'Requests answered, by method, route pattern and status.',
    },
    () => [...tallies.values()].flatMap((tally) => tally.requests()),
  );
  exposition.add(
    {
      name: 'vestibule_http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the head of a request to its answer, by route pattern.',
    },
    () => [...tallies.values()].flatMap((tally) => tally.durations()),
  );
  const countRefusal = exposition.counter(
    'vestibule_refusals_total',
    'Requests refused, by the code of the answer: quotas and budgets, overload, the database, all of them.',
    'code',
    Object.keys(catalogue),
  );
  const countFailure = exposition.counter(
    'vestibule_auth_failures_total',
    'Callers turned away because of their token or credentials, by reason code.',
    'reason',
  );
  const countKeyFetch = providerCounter(
    exposition,
    'vestibule_jwks_fetches_total',
    'Tries to fetch the keys of a provider, by its name and by result: "ok" or what went wrong.',
  );
  const countIntrospection = providerCounter(
    exposition,
    'vestibule_introspections_total',
    'Questions to a provider about opaque tokens, by its name and by result: "active", "inactive", "refused" by our rules, or what went wrong.',
  );
  const countRefusedConnection = exposition.counter(
    'vestibule_connections_refused_total',
    'Connections closed at once because too many are open, by what there are too many of: "all" or "address".',
    'reason',
    ['all', 'address'],
  );
  const countWebhookTry = exposition.counter(
    'vestibule_webhook_deliveries_total',
    'Tries to deliver to webhooks, by result: "delivered" or what went wrong.',
    'result',
  );
  const countSignOut = exposition.counter(
    'vestibule_sign_outs_total',
    'Revocations that were new, by their source: "logout" (a logout token) or "client" (POST /revoke).',
    'by',
    ['logout', 'client'],
  );
  describeKeySets(exposition, keySets);
  let isScrubDue = false;
  exposition.gauge(
    'vestibule_storage_scrub_due',
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
        if (refusalCode !== null) countRefusal(refusalCode);
        if (refusalCode === null || refusalCode === 'https_required') return;
        if ([401, 403, 429].includes(status)) countFailure(refusalCode);
      };
    },
    describeBuild({ version, commit }: BuildInfo, database: string) {
      const help = 'Always 1: the release, its commit, the Node.js and the kind of database of this process.';
      const labels = { version, commit: commit?.slice(0, 12) ?? 'unknown', database, node: process.version };
      exposition.add({ name: 'vestibule_build_info', type: 'gauge', help }, () => [{ labels, value: 1 }]);
    },
    countBatch: describeBatches(exposition),
    watchWriteQueue: (queue: () => WriteQueueStatus) => describeWriteQueue(exposition, queue),
    watchSessions: (sessions: () => SessionStatus) => describeSessions(exposition, sessions),
    watchTokenCache: (cache: TokenCacheStatus) => describeTokenCache(exposition, cache),
    /** Only where the service speaks TLS itself; milliseconds since 1970. */
    watchCertificate(endsAt: () => number, clock: Clock) {
      const help = 'Seconds until the certificate of TLS_CERT_FILE that is in use ends; below 0 when it has.';
      const left = () => (endsAt() - clock.now()) / 1000;
      exposition.gauge('vestibule_tls_certificate_seconds_left', help, left, 'least');
    },
    /** A connection that was closed because there are too many, in all or from its address. */
    countRefusedConnection,
    watchConnections: (open: () => number) =>
      exposition.gauge('vestibule_connections_open', 'Connections open now.', open, 'sum'),
    watchEvents({
      position,
      streams,
      waiting,
    }: Readonly<Record<'position' | 'streams' | 'waiting', () => number>>) {
      const known = 'The highest position of the log of events that is known here.';
      exposition.gauge('vestibule_events_position', known, position);
      exposition.gauge('vestibule_event_streams_open', 'Live streams of events open now.', streams, 'sum');
      const waits = 'Requests that wait for the next event now.';
      exposition.gauge('vestibule_event_requests_waiting', waits, waiting, 'sum');
    },
    /** How webhooks fare, by id; the function that counts tries by what came of them. */
    watchWebhooks: (status: () => readonly WebhookStatus[]) => describeWebhooks(exposition, status),
    countWebhookTry,
    countSignOut,
    watchRevocations: (count: () => number) =>
      exposition.gauge('vestibule_revocations', 'Revocations of tokens that may still be alive.', count),
    watchLog(droppedLines: () => number) {
      const help = 'Log lines that were never written, because nobody took those before them.';
      exposition.total('vestibule_log_lines_dropped_total', help, droppedLines);
    },
    /** A try to fetch the provider's keys: null when it went well. */
    countKeyFetch: (provider: string, fault: string | null) => countKeyFetch(provider, fault ?? 'ok'),
    /** A question about an opaque token. */
    countIntrospection,
    setScrubDue(isDue: boolean) {
      isScrubDue = isDue;
    },
    families: () => exposition.families(),
    expose: (() => answer(expositionType, expositionText(exposition.families()))) satisfies PublicHandler,
  };
}

/** Counts what providers are asked for, by their names and by what came of it; the function that counts. */
function providerCounter(exposition: Exposition, name: string, help: string) {
  const counts = new Map<string, Sample>();
  exposition.add({ name, type: 'counter', help }, () => [...counts.values()]);
  return (provider: string, result: string): void => {
    const key = `${provider} ${result}`;
    const value = (counts.get(key)?.value ?? 0) + 1;
    counts.set(key, { labels: { provider, result }, value });
  };
}

function describeTokenCache(exposition: Exposition, cache: TokenCacheStatus): void {
  const help = 'Tokens looked up among those that were verified before, by result: "hit" or "miss".';
  exposition.add({ name: 'vestibule_token_cache_lookups_total', type: 'counter', help }, () => [
    { labels: { result: 'hit' }, value: cache.hits },
    { labels: { result: 'miss' }, value: cache.misses },
  ]);
  exposition.gauge(
    'vestibule_token_cache_entries',
    'Places in use of the 100,000 for verified tokens.',
    () => cache.places,
    'sum',
  );
}
