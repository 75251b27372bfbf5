export type Across = 'sum' | 'max' | 'min';

const counter = (help: string) => ({ type: 'counter', across: 'sum', help }) as const;
const histogram = (help: string) => ({ type: 'histogram', across: 'sum', help }) as const;
const gauge = (across: Across, help: string) => ({ type: 'gauge', across, help }) as const;

/** Every metric. Those of the process have the names that dashboards for Node.js use. */
export const metricCatalogue = {
  process_cpu_seconds_total: counter('Processor time spent, in the program and in the system on its behalf.'),
  process_start_time_seconds: gauge('min', 'When the process began, in seconds since 1970.'),
  process_resident_memory_bytes: gauge('sum', 'Memory held by the process.'),
  process_open_fds: gauge('sum', 'Open files and sockets; 0 if the system does not report them.'),
  nodejs_heap_size_used_bytes: gauge('sum', 'Memory used by objects of the program.'),
  nodejs_heap_size_total_bytes: gauge('sum', 'Memory set aside for objects of the program.'),
  nodejs_external_memory_bytes: gauge('sum', 'Memory used by buffers and by Node.'),
  nodejs_eventloop_lag_mean_seconds: gauge('max', 'Mean delay of the event loop since the last scrape.'),
  nodejs_eventloop_lag_p99_seconds: gauge('max', '99th percentile of that delay since the last scrape.'),
  nodejs_eventloop_lag_max_seconds: gauge('max', 'Longest such delay since the last scrape.'),
  vestibule_build_info: gauge('max', 'Always 1: release, commit, Node.js version and kind of database.'),
  vestibule_ready: gauge(
    'min',
    '1 if /readyz would answer 200 to a process that is not stopping; checked every ten seconds.',
  ),
  vestibule_processes_wanted: gauge('sum', 'Processes that there should be.'),
  vestibule_processes_serving: gauge('sum', 'Processes that take connections now.'),
  vestibule_processes_ended_total: counter('Processes that have ended unexpectedly.'),
  vestibule_http_requests_total: counter('Requests answered, by method, route pattern and status.'),
  vestibule_http_request_duration_seconds: histogram(
    'Time from the head of a request to its answer, by route pattern.',
  ),
  vestibule_refusals_total: counter('Requests refused, by the code of the answer.'),
  vestibule_auth_failures_total: counter('Callers refused for their token or credentials, by reason code.'),
  vestibule_connections_open: gauge('sum', 'Connections open now.'),
  vestibule_connections_refused_total: counter(
    'Connections closed because too many are open, by what there are too many of: "all" or "address".',
  ),
  vestibule_tls_certificate_seconds_left: gauge(
    'min',
    'Seconds until the certificate of TLS_CERT_FILE that is in use expires; below 0 when it has.',
  ),
  vestibule_jwks_fetches_total: counter(
    'Fetches of the keys of a provider, by its name and by result: "ok" or what went wrong.',
  ),
  vestibule_jwks_age_seconds: gauge(
    'max',
    'Seconds since the keys of a provider were fetched; NaN while there are none.',
  ),
  vestibule_jwks_stale_seconds_left: gauge('min', 'Seconds until the keys are too old to be used.'),
  vestibule_jwks_next_fetch_seconds: gauge('min', 'Seconds until the keys are fetched again.'),
  vestibule_jwks_usable_keys: gauge('min', 'Keys of a provider that may verify tokens.'),
  vestibule_jwks_alarming_keys: gauge(
    'max',
    'Published keys that are weak, symmetric, private or ambiguous.',
  ),
  vestibule_token_cache_lookups_total: counter(
    'Lookups in the cache of verified tokens, by result: "hit" or "miss".',
  ),
  vestibule_token_cache_entries: gauge('sum', 'Verified tokens in the cache, at most 100,000.'),
  vestibule_signatures_waiting: gauge('sum', 'Signatures of tokens and proofs that wait to be checked now.'),
  vestibule_revocations: gauge('max', 'Revocations of tokens that may still be alive.'),
  vestibule_sign_outs_total: counter(
    'Revocations that were new, by their source: "logout" (a logout token) or "client" (POST /revoke).',
  ),
  vestibule_write_batch_size: histogram('Writes that shared a transaction.'),
  vestibule_write_batch_duration_seconds: histogram(
    'Time from the start of a batch of writes to its commit.',
  ),
  vestibule_write_reloads_total: counter(
    'Rows that a batch of writes had to load late, by lookup: the batch was decided again.',
  ),
  vestibule_write_queue_length: gauge('sum', 'Writes that wait for their batch now.'),
  vestibule_write_queue_oldest_seconds: gauge(
    'max',
    'How long the oldest waiting write has waited; 0 when none waits. Past 1.5 it is refused.',
  ),
  vestibule_database_sessions: gauge('sum', 'Sessions with PostgreSQL, by state: "in_use" or "idle".'),
  vestibule_database_sessions_limit: gauge('sum', 'The most sessions there may be (DATABASE_POOL_SIZE).'),
  vestibule_database_sessions_waiting: gauge('sum', 'Statements that wait for a session now.'),
  vestibule_database_session_waits_total: counter(
    'Statements that have waited because all sessions were in use.',
  ),
  vestibule_database_session_wait_seconds_total: counter(
    'Total time that statements have waited for a session.',
  ),
  vestibule_storage_scrub_due: gauge(
    'max',
    '1 when erased callers may have left copies in the SQLite file: see "npx vestibule scrub".',
  ),
  vestibule_child_work_waiting: gauge(
    'max',
    'Deleted or handed over records whose records below are still to be deleted or handed over.',
  ),
  vestibule_events_position: gauge('max', 'The highest position of the event log that is known here.'),
  vestibule_event_streams_open: gauge('sum', 'Live streams of events open now.'),
  vestibule_event_requests_waiting: gauge('sum', 'Long polls that wait for the next event now.'),
  vestibule_webhook_deliveries_total: counter(
    'Delivery attempts to webhooks, by result: "delivered" or what went wrong.',
  ),
  vestibule_webhook_oldest_undelivered_seconds: gauge(
    'max',
    'Age of the oldest event that the webhook has not received yet; 0 when it has received all.',
  ),
  vestibule_webhook_positions_behind: gauge('max', 'Positions of the log not yet read for the webhook.'),
  vestibule_webhook_dead_letters: gauge('max', 'Deliveries that were given up.'),
  vestibule_webhook_failing_seconds: gauge(
    'max',
    'Seconds since the webhook began to fail; after 432000 it is disabled.',
  ),
  vestibule_webhook_disabled: gauge('max', '1 when nothing is sent to the webhook.'),
  vestibule_log_lines_dropped_total: counter(
    'Log lines dropped because their reader was too slow or the disk was full.',
  ),
};

export type MetricName = keyof typeof metricCatalogue;
