import type { HttpServer } from '../http/server.ts';
import type { KeySetStatus } from '../ops/health.ts';
import type { Sweeper } from '../records/sweeper.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';
import type { readCertificate } from './certificate.ts';
import type { createEventParts } from './events.ts';

interface Watched {
  readonly release: { readonly version: string; readonly commit: string | null };
  readonly keySets: () => readonly KeySetStatus[];
  readonly service: HttpServer;
  readonly events: ReturnType<typeof createEventParts>;
  readonly writes: WriteQueue;
  readonly callers: Callers;
  readonly certificate: ReturnType<typeof readCertificate>;
  readonly logOutput: { readonly dropped: number };
  readonly sweeper: Sweeper;
  readonly readiness: { isHealthy(): boolean };
}

/** Adds the gauges, and the counters of other parts, to the metrics. */
export function watch({ metrics, storage, clock }: BaseParts, watched: Watched): void {
  const { release, keySets, service, events, writes, certificate, logOutput, sweeper, readiness } = watched;
  const { tokenCache, standing, signatures } = watched.callers;
  const { exposition } = metrics;
  const build = {
    version: release.version,
    commit: release.commit?.slice(0, 12) ?? 'unknown',
    database: storage.engine,
    node: process.version,
  };
  exposition.add('vestibule_build_info', () => [{ labels: build, value: 1 }]);
  exposition.watch({
    vestibule_ready: () => Number(readiness.isHealthy()),
    vestibule_connections_open: () => service.connections.size,
    vestibule_log_lines_dropped_total: () => logOutput.dropped,
    vestibule_token_cache_entries: () => tokenCache.places,
    vestibule_signatures_waiting: () => signatures.size,
    vestibule_revocations: () => standing.revocations.known.size,
    vestibule_write_queue_length: () => writes.length,
    vestibule_write_queue_oldest_seconds: () => writes.oldestSeconds,
    vestibule_storage_scrub_due: () => Number(sweeper.isScrubDue),
    vestibule_child_work_waiting: () => sweeper.childWork,
    vestibule_events_position: events.status.position,
    vestibule_event_streams_open: events.status.streams,
    vestibule_event_requests_waiting: events.status.waiting,
  });
  exposition.add('vestibule_token_cache_lookups_total', () => [
    { labels: { result: 'hit' }, value: tokenCache.hits },
    { labels: { result: 'miss' }, value: tokenCache.misses },
  ]);
  exposition.watchEach('provider', keySets, ({ name }) => name, {
    vestibule_jwks_age_seconds: ({ ageSeconds }) => ageSeconds ?? Number.NaN,
    vestibule_jwks_stale_seconds_left: ({ staleLeftSeconds }) => staleLeftSeconds,
    vestibule_jwks_next_fetch_seconds: ({ nextFetchSeconds }) => nextFetchSeconds,
    vestibule_jwks_usable_keys: ({ keys }) => keys,
    vestibule_jwks_alarming_keys: ({ alarmingKeys }) => alarmingKeys,
  });
  exposition.watchEach('webhook', events.webhookStatus, ({ id }) => id, {
    vestibule_webhook_oldest_undelivered_seconds: ({ oldestSeconds }) => oldestSeconds,
    vestibule_webhook_positions_behind: ({ behind }) => behind,
    vestibule_webhook_dead_letters: ({ dead }) => dead,
    vestibule_webhook_failing_seconds: ({ failingSeconds }) => failingSeconds,
    vestibule_webhook_disabled: ({ isDisabled }) => Number(isDisabled),
  });
  if (certificate !== null)
    exposition.watch({
      vestibule_tls_certificate_seconds_left: () => (certificate.endsAt() - clock.now()) / 1000,
    });
  const sessions = storage.sessionStatus;
  if (sessions === null) return;
  exposition.add('vestibule_database_sessions', () => [
    { labels: { state: 'in_use' }, value: sessions().inUse },
    { labels: { state: 'idle' }, value: sessions().idle },
  ]);
  exposition.watch({
    vestibule_database_sessions_limit: () => sessions().max,
    vestibule_database_sessions_waiting: () => sessions().waiting,
    vestibule_database_session_waits_total: () => sessions().waits,
    vestibule_database_session_wait_seconds_total: () => sessions().waitedSeconds,
  });
}
