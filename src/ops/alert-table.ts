import { type Condition, keysOld, slowRoutes, webhooksLate } from './alert-conditions.ts';

interface Alert {
  /** `warning` if it is absent. */
  readonly severity?: 'critical' | 'info';
  /** How long the condition has to hold before the alert fires. */
  readonly for?: string;
  /** PromQL. */
  readonly expr: string;
  /** The same for this service if it cannot parse the expression. */
  readonly find?: Condition;
  /** `{instance}` is a label; `{value}`, `{number}` and `{duration}` write the value. */
  readonly summary: string;
  /** Markdown with links as in docs/operations.md. */
  readonly advice: string;
}

/** `npm run docs` writes deploy/prometheus/alerts.yaml and the table of docs/operations.md. The console evaluates the same. */
export const alertTable: Readonly<Record<string, Alert>> = {
  VestibuleDown: {
    severity: 'critical',
    for: '1m',
    expr: 'up{job="vestibule"} == 0',
    summary: '{instance} does not answer',
    advice: 'the ops port does not answer. Look at the process and the last log lines',
  },
  // A balancer that obeys /readyz sends no requests, so no alert about refused requests fires.
  VestibuleNotReady: {
    severity: 'critical',
    for: '1m',
    expr: 'vestibule_ready == 0',
    summary: '{instance} is not ready: /readyz names the reason',
    advice:
      'for a minute `/readyz` has been 503, which names the reason: the database, the keys of all providers, or other collections',
  },
  VestibuleRestarts: {
    expr: 'changes(process_start_time_seconds{job="vestibule"}[15m]) > 2',
    summary: '{instance} was started {value} times in a quarter of an hour',
    advice:
      'three starts in 15 minutes. The last line before each start has the reason; no line means it was killed (memory)',
  },
  // With several processes the ops port stays, and its process is not the one that ends.
  VestibuleProcessesEnd: {
    expr: 'increase(vestibule_processes_ended_total[15m]) > 2',
    summary: '{number} processes of {instance} have ended in a quarter of an hour',
    advice:
      'processes end and are replaced. The line `a process has ended` has `code` and `signal`; SIGKILL means memory or a hang',
  },
  VestibuleBug: {
    expr: 'increase(vestibule_refusals_total{code="internal"}[10m]) > 0',
    summary: '{instance} has answered 500: the log has a line at level error for each',
    advice: 'a caller got a 500. The line at level `error` has the stack: report it',
  },
  VestibuleDatabaseUnavailable: {
    severity: 'critical',
    for: '1m',
    expr: 'rate(vestibule_refusals_total{code="storage_unavailable"}[2m]) > 0',
    summary: 'The database does not do its work for {instance}',
    advice:
      '`/readyz` and `requests are refused` have the reason: [full disk](runbooks.md#the-disk-is-full), [failover](runbooks.md#failover), a lock',
  },
  VestibuleOverloaded: {
    for: '2m',
    expr: 'sum without (code) (rate(vestibule_refusals_total{code=~"overloaded|signing_overloaded"}[2m])) > 0',
    summary: '{instance} refuses {number} requests a second because too much waits',
    advice: '`detail` of `requests are refused` names the queue: see [capacity](runbooks.md#capacity)',
  },
  VestibuleSlow: {
    for: '10m',
    expr: 'histogram_quantile(0.99, rate(vestibule_http_request_duration_seconds_bucket{route!~".*/events"}[5m])) > 1',
    find: slowRoutes,
    summary: 'One in a hundred requests to {route} takes {duration} at {instance}',
    advice:
      '1 % of requests take more than a second. Writes: see `vestibule_write_batch_duration_seconds`. All routes: the event loop',
  },
  VestibuleWritesWait: {
    for: '1m',
    expr: 'vestibule_write_queue_oldest_seconds > 1',
    summary: 'Writes wait {duration} at {instance}, and are refused after 1.5 s',
    advice: 'writes are about to be refused: the disk, a lock, or too many writes',
  },
  VestibuleSessionsShort: {
    for: '5m',
    expr: 'rate(vestibule_database_session_wait_seconds_total[5m]) > 0.5',
    summary: 'All sessions of {instance} with PostgreSQL are in use, and {number} wait for one',
    advice: 'all PostgreSQL sessions are in use. Find slow statements, then raise `DATABASE_POOL_SIZE`',
  },
  VestibuleEventLoopLate: {
    for: '5m',
    expr: 'nodejs_eventloop_lag_p99_seconds{job="vestibule"} > 0.5',
    summary: 'The event loop of {instance} is late by {duration}',
    advice: 'too little processor time. Compare `process_cpu_seconds_total`; add processes',
  },
  VestibuleConnectionsRefused: {
    for: '5m',
    expr: 'rate(vestibule_connections_refused_total[5m]) > 0',
    summary: '{instance} closes connections at once: too many of "{reason}" are open',
    advice:
      '`address`: block it in front of the service. `all`: raise `MAX_CONNECTIONS` and the limit of open files',
  },
  VestibuleSecretsGuessed: {
    for: '10m',
    expr: 'sum without (reason) (rate(vestibule_auth_failures_total{reason=~"(credentials|oauth)_.+"}[5m])) > 1',
    summary: '{number} tries a second with wrong secrets of clients at {instance}',
    advice:
      'wrong client secrets, more than one a second. Guessing is limited and locks no client out; check the last use in `client list`',
  },
  // Every process has all of them. The limit is 200,000 for each issuer.
  VestibuleRevocationsCrowded: {
    for: '5m',
    expr: 'max by (job) (vestibule_revocations) >= 160000',
    summary: '{value} revocations are kept; an issuer that reaches 200000 cannot sign out users',
    advice:
      'an issuer is near its [limit of revocations](tokens.md#too-many-revocations): set `MAX_TOKEN_LIFETIME_SECONDS`',
  },
  VestibuleProviderKeysNotFetched: {
    expr: 'sum without (result) (increase(vestibule_jwks_fetches_total{result!="ok"}[30m])) > 5',
    summary: 'The keys of {provider} could not be fetched {number} times in half an hour',
    advice:
      '[the provider or the way to it](runbooks.md#the-keys-of-the-provider-cannot-be-fetched). Callers are still served',
  },
  // Keys are fetched again before half of their time is over, whatever the provider says.
  VestibuleProviderKeysOld: {
    severity: 'critical',
    for: '5m',
    expr: 'vestibule_jwks_age_seconds > vestibule_jwks_stale_seconds_left',
    find: keysOld,
    summary:
      'The keys of {provider} are {duration} old, and more than half of the time for which they count is over',
    advice:
      'no fetch has worked for half of `JWKS_MAX_STALE_SECONDS`. After the other half its tokens are refused',
  },
  VestibuleNothingVerified: {
    severity: 'critical',
    for: '1m',
    expr: 'vestibule_jwks_stale_seconds_left == 0',
    summary: '{instance} has no keys of {provider} that count: every token of it is answered 503',
    advice: 'tokens of that provider are 503 until it is back; others work',
  },
  VestibuleAlarmingKeys: {
    for: '5m',
    expr: 'vestibule_jwks_alarming_keys > 0',
    summary: '{provider} publishes {value} keys that nobody should use',
    advice: 'tell the provider: it publishes keys that must not be used. The log names the fault',
  },
  // 14 days.
  VestibuleCertificateEnds: {
    for: '1h',
    expr: 'vestibule_tls_certificate_seconds_left < 1209600',
    summary: 'The certificate of {instance} ends in {duration}',
    advice: '[renew the certificate](runbooks.md#certificate-renewal)',
  },
  VestibuleLogLost: {
    expr: 'increase(vestibule_log_lines_dropped_total[10m]) > 0',
    summary: 'Nobody takes the log of {instance}: {number} lines are lost',
    advice: 'the reader of the log stalls: see [log retention](runbooks.md#log-retention)',
  },
  VestibuleScrubDue: {
    severity: 'info',
    for: '1d',
    expr: 'vestibule_storage_scrub_due == 1',
    summary: 'Copies of erased records may be left in the SQLite file of {instance}',
    advice: '`npx vestibule scrub` in a quiet hour: see [erased data](#erased-data-on-the-disk)',
  },
  // All processes know the same about webhooks.
  VestibuleWebhookLate: {
    for: '5m',
    expr: 'max by (job, webhook) (vestibule_webhook_oldest_undelivered_seconds) > 600 unless max by (job, webhook) (vestibule_webhook_disabled) == 1',
    find: webhooksLate,
    summary: 'The webhook {webhook} has not got what happened {duration} ago',
    advice: '`npx vestibule webhook show whk_...` shows what the receiver answers: see [webhooks](#webhooks)',
  },
  VestibuleWebhookFailing: {
    severity: 'critical',
    expr: 'max by (job, webhook) (vestibule_webhook_failing_seconds) > 86400',
    summary: 'The webhook {webhook} has failed for {duration}, and is disabled after five days',
    advice: 'the same for a day; after five it is disabled',
  },
  VestibuleWebhookDeadLetters: {
    expr: 'max by (job, webhook) (vestibule_webhook_dead_letters) > 0',
    summary: '{value} deliveries to the webhook {webhook} were given up',
    advice: 'repair the receiver, then `npx vestibule webhook replay whk_... --dead`',
  },
  VestibuleWebhookDisabled: {
    severity: 'info',
    for: '1h',
    expr: 'max by (job, webhook) (vestibule_webhook_disabled) == 1',
    summary: 'The webhook {webhook} is disabled: what happens waits in the log, for 30 days at most',
    advice:
      'by a command or by five days of failures: `npx vestibule audit` shows which. Events older than 30 days can no longer be sent',
  },
  VestibuleReleasesDiffer: {
    severity: 'info',
    for: '1h',
    expr: 'count by (job) (count by (job, version, commit) (vestibule_build_info)) > 1',
    summary: 'Processes of {value} releases are running',
    advice: 'an upgrade stopped half-way: see `vestibule_build_info`',
  },
};
