/**
 * What these metrics were called before all of ours began with `vestibule_`. They are written under both names for one
 * release, so that dashboards and alerts can be moved over; with the next one this file goes.
 */
export const formerNames: ReadonlySet<string> = new Set([
  'http_requests_total',
  'http_request_duration_seconds',
  'auth_failures_total',
  'jwks_fetches_total',
  'jwks_age_seconds',
  'jwks_stale_seconds_left',
  'jwks_next_fetch_seconds',
  'jwks_usable_keys',
  'jwks_alarming_keys',
  'connections_refused_total',
  'connections_open',
  'storage_scrub_due',
  'log_lines_dropped_total',
  'events_position',
  'event_streams_open',
  'event_requests_waiting',
  'webhook_deliveries_total',
  'webhook_oldest_undelivered_seconds',
  'webhook_positions_behind',
  'webhook_dead_letters',
  'webhook_failing_seconds',
  'webhook_disabled',
]);
