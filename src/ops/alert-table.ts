import { type Condition, parseCondition, slowRoutes, webhooksLate } from './alert-conditions.ts';

interface Alert {
  /** `warning` if it is absent. */
  readonly severity?: 'critical' | 'info';
  /** PromQL, and how long it has to hold before the alert fires. */
  readonly when: string;
  /** The same for this service if it cannot parse the expression. */
  readonly find?: Condition;
  /** `{instance}` is a label; `{value}`, `{number}` and `{duration}` write the value. */
  readonly summary: string;
  /** Markdown with links as in docs/operations.md. */
  readonly advice: string;
}

const alertTable: Readonly<Record<string, Alert>> = {
  VestibuleDown: {
    severity: 'critical',
    when: 'up{job="vestibule"} == 0 for 1m',
    summary: '{instance} does not answer',
    advice: 'the ops port does not answer. Look at the process and the last log lines',
  },
  // A balancer that obeys /readyz sends no requests, so no alert about refused requests fires.
  VestibuleNotReady: {
    severity: 'critical',
    when: 'vestibule_ready == 0 for 1m',
    summary: '{instance} is not ready: /readyz names the reason',
    advice:
      'for a minute `/readyz` has been 503, which names the reason: the database, the keys of all providers, or other collections',
  },
  VestibuleRestarts: {
    when: 'changes(process_start_time_seconds{job="vestibule"}[15m]) > 2',
    summary: '{instance} was started {value} times in a quarter of an hour',
    advice:
      'three starts in 15 minutes. The last line before each start has the reason; no line means it was killed (memory)',
  },
  // With several processes the ops port stays, and its process is not the one that ends.
  VestibuleProcessesEnd: {
    when: 'increase(vestibule_processes_ended_total[15m]) > 2',
    summary: '{number} processes of {instance} have ended in a quarter of an hour',
    advice:
      'processes end and are replaced. The line `a process has ended` has `code` and `signal`; SIGKILL means memory or a hang',
  },
  VestibuleBug: {
    when: 'increase(vestibule_refusals_total{code="internal"}[10m]) > 0',
    summary: '{instance} has answered 500: the log has a line at level error for each',
    advice: 'a caller got a 500. The line at level `error` has the stack: report it',
  },
  VestibuleDatabaseUnavailable: {
    severity: 'critical',
    when: 'rate(vestibule_refusals_total{code="storage_unavailable"}[2m]) > 0 for 1m',
    summary: 'The database does not do its work for {instance}',
    advice:
      '`/readyz` and `requests are refused` have the reason: [full disk](runbooks.md#the-disk-is-full), [failover](runbooks.md#failover), a lock',
  },
  VestibuleOverloaded: {
    when: 'sum without (code) (rate(vestibule_refusals_total{code=~"overloaded|signing_overloaded"}[2m])) > 0 for 2m',
    summary: '{instance} refuses {number} requests a second because too much waits',
    advice: '`detail` of `requests are refused` names the queue: see [capacity](runbooks.md#capacity)',
  },
  VestibuleSlow: {
    when: 'histogram_quantile(0.99, rate(vestibule_http_request_duration_seconds_bucket{route!~".*/events"}[5m])) > 1 for 10m',
    find: slowRoutes,
    summary: 'One in a hundred requests to {route} takes {duration} at {instance}',
    advice:
      '1 % of requests take more than a second. Writes: see `vestibule_write_batch_duration_seconds`. All routes: the event loop',
  },
  VestibuleWritesWait: {
    when: 'vestibule_write_queue_oldest_seconds > 1 for 1m',
    summary: 'Writes wait {duration} at {instance}, and are refused after 1.5 s',
    advice: 'writes are about to be refused: the disk, a lock, or too many writes',
  },
  VestibuleSessionsShort: {
    when: 'rate(vestibule_database_session_wait_seconds_total[5m]) > 0.5 for 5m',
    summary: 'All sessions of {instance} with PostgreSQL are in use, and {number} wait for one',
    advice: 'all PostgreSQL sessions are in use. Find slow statements, then raise `DATABASE_POOL_SIZE`',
  },
  VestibuleEventLoopLate: {
    when: 'nodejs_eventloop_lag_p99_seconds{job="vestibule"} > 0.5 for 5m',
    summary: 'The event loop of {instance} is late by {duration}',
    advice: 'too little processor time. Compare `process_cpu_seconds_total`; add processes',
  },
  VestibuleConnectionsRefused: {
    when: 'rate(vestibule_connections_refused_total[5m]) > 0 for 5m',
    summary: '{instance} closes connections at once: too many of "{reason}" are open',
    advice:
      '`address`: block it in front of the service. `all`: raise `MAX_CONNECTIONS` and the limit of open files',
  },
  VestibuleSecretsGuessed: {
    when: 'sum without (reason) (rate(vestibule_auth_failures_total{reason=~"(credentials|oauth)_.+"}[5m])) > 1 for 10m',
    summary: '{number} tries a second with wrong secrets of clients at {instance}',
    advice:
      'wrong client secrets, more than one a second. Guessing is limited and locks no client out; check the last use in `client list`',
  },
  // Every process has all of them. The limit is 200,000 for each issuer.
  VestibuleRevocationsCrowded: {
    when: 'max by (job) (vestibule_revocations) >= 160000 for 5m',
    summary: '{value} revocations are kept; an issuer that reaches 200000 cannot sign out users',
    advice:
      'an issuer is near its [limit of revocations](tokens.md#too-many-revocations): set `MAX_TOKEN_LIFETIME_SECONDS`',
  },
  VestibuleProviderKeysNotFetched: {
    when: 'sum without (result) (increase(vestibule_jwks_fetches_total{result!="ok"}[30m])) > 5',
    summary: 'The keys of {provider} could not be fetched {number} times in half an hour',
    advice:
      '[the provider or the way to it](runbooks.md#the-keys-of-the-provider-cannot-be-fetched). Callers are still served',
  },
  // Keys are fetched again before half of their time is over, whatever the provider says.
  VestibuleProviderKeysOld: {
    severity: 'critical',
    when: 'vestibule_jwks_age_seconds > vestibule_jwks_stale_seconds_left for 5m',
    summary:
      'The keys of {provider} are {duration} old, and more than half of the time for which they count is over',
    advice:
      'no fetch has worked for half of `JWKS_MAX_STALE_SECONDS`. After the other half its tokens are refused',
  },
  VestibuleNothingVerified: {
    severity: 'critical',
    when: 'vestibule_jwks_stale_seconds_left == 0 for 1m',
    summary: '{instance} has no keys of {provider} that count: every token of it is answered 503',
    advice: 'tokens of that provider are 503 until it is back; others work',
  },
  VestibuleAlarmingKeys: {
    when: 'vestibule_jwks_alarming_keys > 0 for 5m',
    summary: '{provider} publishes {value} keys that nobody should use',
    advice: 'tell the provider: it publishes keys that must not be used. The log names the fault',
  },
  // 14 days.
  VestibuleCertificateEnds: {
    when: 'vestibule_tls_certificate_seconds_left < 1209600 for 1h',
    summary: 'The certificate of {instance} ends in {duration}',
    advice: '[renew the certificate](runbooks.md#certificate-renewal)',
  },
  VestibuleLogLost: {
    when: 'increase(vestibule_log_lines_dropped_total[10m]) > 0',
    summary: 'Nobody takes the log of {instance}: {number} lines are lost',
    advice: 'the reader of the log stalls: see [log retention](runbooks.md#log-retention)',
  },
  VestibuleScrubDue: {
    severity: 'info',
    when: 'vestibule_storage_scrub_due == 1 for 1d',
    summary: 'Copies of erased records may be left in the SQLite file of {instance}',
    advice: '`npx vestibule scrub` in a quiet hour: see [erased data](#erased-data-on-the-disk)',
  },
  // All processes know the same about webhooks.
  VestibuleWebhookLate: {
    when: 'max by (job, webhook) (vestibule_webhook_oldest_undelivered_seconds) > 600 unless max by (job, webhook) (vestibule_webhook_disabled) == 1 for 5m',
    find: webhooksLate,
    summary: 'The webhook {webhook} has not got what happened {duration} ago',
    advice: '`npx vestibule webhook show whk_...` shows what the receiver answers: see [webhooks](#webhooks)',
  },
  VestibuleWebhookFailing: {
    severity: 'critical',
    when: 'max by (job, webhook) (vestibule_webhook_failing_seconds) > 86400',
    summary: 'The webhook {webhook} has failed for {duration}, and is disabled after five days',
    advice: 'the same for a day; after five it is disabled',
  },
  VestibuleWebhookDeadLetters: {
    when: 'max by (job, webhook) (vestibule_webhook_dead_letters) > 0',
    summary: '{value} deliveries to the webhook {webhook} were given up',
    advice: 'repair the receiver, then `npx vestibule webhook replay whk_... --dead`',
  },
  VestibuleWebhookDisabled: {
    severity: 'info',
    when: 'max by (job, webhook) (vestibule_webhook_disabled) == 1 for 1h',
    summary: 'The webhook {webhook} is disabled: what happens waits in the log, for 30 days at most',
    advice:
      'by a command or by five days of failures: `npx vestibule audit` shows which. Events older than 30 days can no longer be sent',
  },
  VestibuleReleasesDiffer: {
    severity: 'info',
    when: 'count by (job) (count by (job, version, commit) (vestibule_build_info)) > 1 for 1h',
    summary: 'Processes of {value} releases are running',
    advice: 'an upgrade stopped half-way: see `vestibule_build_info`',
  },
};

/** `npm run docs` writes deploy/prometheus/alerts.yaml and the table of docs/operations.md. The console evaluates the same. */
export const alertRules = Object.entries(alertTable).map(([name, alert]) => {
  const { severity = 'warning', when, summary, advice } = alert;
  const [, expr = when, lasting = '0s'] = /^(.+?)(?: for (\w+))?$/.exec(when) ?? [];
  const parsed = parseCondition(expr);
  // Null if it compares services, or needs an observer that outlives this one.
  const find = alert.find ?? parsed?.find ?? null;
  return { name, severity, expr, lasting, find, counter: parsed?.counter, summary, advice };
});
