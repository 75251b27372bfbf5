import { type Condition, parseCondition, slowRoutes, webhooksLate } from './alert-conditions.ts';

/**
 * Severity | PromQL, and how long it has to hold | summary | advice. In a summary `{instance}` is a label, and `{value}`,
 * `{number}` and `{duration}` write the value. Advice is Markdown with links as in docs/operations.md.
 */
const alertTable = {
  VestibuleDown:
    'critical | up{job="vestibule"} == 0 for 1m | {instance} does not answer | the ops port does not answer. Look at the process and the last log lines',
  // A balancer that obeys /readyz sends no requests, so no alert about refused requests fires.
  VestibuleNotReady:
    'critical | vestibule_ready == 0 for 1m | {instance} is not ready: /readyz names the reason | for a minute `/readyz` has been 503, which names the reason: the database, the keys of all providers, or other collections',
  VestibuleRestarts:
    'warning | changes(process_start_time_seconds{job="vestibule"}[15m]) > 2 | {instance} was started {value} times in a quarter of an hour | three starts in 15 minutes. The last line before each start has the reason; no line means it was killed (memory)',
  // With several processes the ops port stays, and its process is not the one that ends.
  VestibuleProcessesEnd:
    'warning | increase(vestibule_processes_ended_total[15m]) > 2 | {number} processes of {instance} have ended in a quarter of an hour | processes end and are replaced. The line `a process has ended` has `code` and `signal`; SIGKILL means memory or a hang',
  VestibuleBug:
    'warning | increase(vestibule_refusals_total{code="internal"}[10m]) > 0 | {instance} has answered 500: the log has a line at level error for each | a caller got a 500. The line at level `error` has the stack: report it',
  VestibuleDatabaseUnavailable:
    'critical | rate(vestibule_refusals_total{code="storage_unavailable"}[2m]) > 0 for 1m | The database does not do its work for {instance} | `/readyz` and `requests are refused` have the reason: [full disk](runbooks.md#the-disk-is-full), [failover](runbooks.md#failover), a lock',
  VestibuleOverloaded:
    'warning | sum without (code) (rate(vestibule_refusals_total{code=~"overloaded|signing_overloaded"}[2m])) > 0 for 2m | {instance} refuses {number} requests a second because too much waits | `detail` of `requests are refused` names the queue: see [capacity](runbooks.md#capacity)',
  VestibuleSlow:
    'warning | histogram_quantile(0.99, rate(vestibule_http_request_duration_seconds_bucket{route!~".*/events"}[5m])) > 1 for 10m | One in a hundred requests to {route} takes {duration} at {instance} | 1 % of requests take more than a second. Writes: see `vestibule_write_batch_duration_seconds`. All routes: the event loop',
  VestibuleWritesWait:
    'warning | vestibule_write_queue_oldest_seconds > 1 for 1m | Writes wait {duration} at {instance}, and are refused after 1.5 s | writes are about to be refused: the disk, a lock, or too many writes',
  VestibuleSessionsShort:
    'warning | rate(vestibule_database_session_wait_seconds_total[5m]) > 0.5 for 5m | All sessions of {instance} with PostgreSQL are in use, and {number} wait for one | all PostgreSQL sessions are in use. Find slow statements, then raise `DATABASE_POOL_SIZE`',
  VestibuleEventLoopLate:
    'warning | nodejs_eventloop_lag_p99_seconds{job="vestibule"} > 0.5 for 5m | The event loop of {instance} is late by {duration} | too little processor time. Compare `process_cpu_seconds_total`; add processes',
  VestibuleConnectionsRefused:
    'warning | rate(vestibule_connections_refused_total[5m]) > 0 for 5m | {instance} closes connections at once: too many of "{reason}" are open | `address`: block it in front of the service. `all`: raise `MAX_CONNECTIONS` and the limit of open files',
  VestibuleSecretsGuessed:
    'warning | sum without (reason) (rate(vestibule_auth_failures_total{reason=~"(credentials|oauth)_.+"}[5m])) > 1 for 10m | {number} tries a second with wrong secrets of clients at {instance} | wrong client secrets, more than one a second. Guessing is limited and locks no client out; check the last use in `client list`',
  // Every process has all of them. The limit is 200,000 for each issuer.
  VestibuleRevocationsCrowded:
    'warning | max by (job) (vestibule_revocations) >= 160000 for 5m | {value} revocations are kept; an issuer that reaches 200000 cannot sign out users | an issuer is near its [limit of revocations](tokens.md#too-many-revocations): set `MAX_TOKEN_LIFETIME_SECONDS`',
  VestibuleProviderKeysNotFetched:
    'warning | sum without (result) (increase(vestibule_jwks_fetches_total{result!="ok"}[30m])) > 5 | The keys of {provider} could not be fetched {number} times in half an hour | [the provider or the way to it](runbooks.md#the-keys-of-the-provider-cannot-be-fetched). Callers are still served',
  // Keys are fetched again before half of their time is over, whatever the provider says.
  VestibuleProviderKeysOld:
    'critical | vestibule_jwks_age_seconds > vestibule_jwks_stale_seconds_left for 5m | The keys of {provider} are {duration} old, and more than half of the time for which they count is over | no fetch has worked for half of `JWKS_MAX_STALE_SECONDS`. After the other half its tokens are refused',
  VestibuleNothingVerified:
    'critical | vestibule_jwks_stale_seconds_left == 0 for 1m | {instance} has no keys of {provider} that count: every token of it is answered 503 | tokens of that provider are 503 until it is back; others work',
  VestibuleAlarmingKeys:
    'warning | vestibule_jwks_alarming_keys > 0 for 5m | {provider} publishes {value} keys that nobody should use | tell the provider: it publishes keys that must not be used. The log names the fault',
  // 14 days.
  VestibuleCertificateEnds:
    'warning | vestibule_tls_certificate_seconds_left < 1209600 for 1h | The certificate of {instance} ends in {duration} | [renew the certificate](runbooks.md#certificate-renewal)',
  VestibuleLogLost:
    'warning | increase(vestibule_log_lines_dropped_total[10m]) > 0 | Nobody takes the log of {instance}: {number} lines are lost | the reader of the log stalls: see [log retention](runbooks.md#log-retention)',
  VestibuleScrubDue:
    'info | vestibule_storage_scrub_due == 1 for 1d | Copies of erased records may be left in the SQLite file of {instance} | `npx vestibule scrub` in a quiet hour: see [erased data](#erased-data-on-the-disk)',
  // All processes know the same about webhooks.
  VestibuleWebhookLate:
    'warning | max by (job, webhook) (vestibule_webhook_oldest_undelivered_seconds) > 600 unless max by (job, webhook) (vestibule_webhook_disabled) == 1 for 5m | The webhook {webhook} has not got what happened {duration} ago | `npx vestibule webhook show whk_...` shows what the receiver answers: see [webhooks](#webhooks)',
  VestibuleWebhookFailing:
    'critical | max by (job, webhook) (vestibule_webhook_failing_seconds) > 86400 | The webhook {webhook} has failed for {duration}, and is disabled after five days | the same for a day; after five it is disabled',
  VestibuleWebhookDeadLetters:
    'warning | max by (job, webhook) (vestibule_webhook_dead_letters) > 0 | {value} deliveries to the webhook {webhook} were given up | repair the receiver, then `npx vestibule webhook replay whk_... --dead`',
  VestibuleWebhookDisabled:
    'info | max by (job, webhook) (vestibule_webhook_disabled) == 1 for 1h | The webhook {webhook} is disabled: what happens waits in the log, for 30 days at most | by a command or by five days of failures: `npx vestibule audit` shows which. Events older than 30 days can no longer be sent',
  VestibuleReleasesDiffer:
    'info | count by (job) (count by (job, version, commit) (vestibule_build_info)) > 1 for 1h | Processes of {value} releases are running | an upgrade stopped half-way: see `vestibule_build_info`',
} as const;

/** Expressions that this service cannot parse, as it evaluates them. */
const evaluated: { readonly [name in keyof typeof alertTable]?: Condition } = {
  VestibuleSlow: slowRoutes,
  VestibuleWebhookLate: webhooksLate,
};

/** `npm run docs` writes deploy/prometheus/alerts.yaml and the table of docs/operations.md. The console evaluates the same. */
export const alertRules = Object.entries(alertTable).map(([name, row]) => {
  const [severity = '', when = '', summary = '', advice = ''] = row.split(' | ');
  const [, expr = when, holdsFor = '0s'] = /^(.+?)(?: for (\w+))?$/.exec(when) ?? [];
  const parsed = parseCondition(expr);
  // Null if it compares services, or needs an observer that outlives this one.
  const find = evaluated[name as keyof typeof alertTable] ?? parsed?.find ?? null;
  return { name, severity, expr, holdsFor, find, counter: parsed?.counter, summary, advice };
});
