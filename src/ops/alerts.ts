import type { Clock } from '../base/clock.ts';
import type { Sample } from './exposition.ts';
import type { History } from './history.ts';
import type { MetricName } from './metric-catalogue.ts';

/** The subject of an alert, such as the name of a provider; '' if there is only one. */
type Found = ReadonlyMap<string, number>;

interface Rule {
  readonly name: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long the condition has to hold before the alert fires. */
  readonly forSeconds: number;
  /** The subjects for which the condition holds now, with their values. */
  readonly find: (history: History) => Found;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

type Test = (value: number) => boolean;
const over =
  (limit: number): Test =>
  (value) =>
    value > limit;

/** Compares the current value of a gauge. */
function gauge(name: MetricName, test: Test, label?: string): Rule['find'] {
  return (history) => matching(byLabel(history.samples(name), label), test);
}

/** The increase of a kind of counts in that time, added up unless each label is a subject of its own. */
function growth(kind: string, seconds: number, test: Test, labels: 'each' | readonly string[]): Rule['find'] {
  return (history) => {
    const all = history.increases(kind, seconds);
    if (labels === 'each') return matching(all, test);
    const sum = labels.reduce((total, label) => total + (all.get(label) ?? 0), 0);
    return matching(new Map([['', sum]]), test);
  };
}

function matching(values: Found, test: Test): Found {
  return new Map([...values].filter(([, value]) => test(value)));
}

function byLabel(samples: readonly Sample[], label = ''): Found {
  return new Map(samples.map(({ labels, value }) => [String(labels[label] ?? ''), value]));
}

/** One request in a hundred takes longer than a second if fewer than 99 % are in the bucket of one second. */
const slowRoutes: Rule['find'] = (history) => {
  const quick = history.increases('within_1s', 5 * minute);
  const slow = [...history.increases('answered', 5 * minute)].map(([route, all]) => {
    return [route, all === 0 ? 0 : 1 - (quick.get(route) ?? 0) / all] as const;
  });
  return matching(new Map(slow), over(0.01));
};

const keysOld: Rule['find'] = (history) => {
  const left = byLabel(history.samples('vestibule_jwks_stale_seconds_left'), 'provider');
  const ages = byLabel(history.samples('vestibule_jwks_age_seconds'), 'provider');
  return new Map([...ages].filter(([provider, age]) => age > (left.get(provider) ?? 0)));
};

const webhooksLate: Rule['find'] = (history) => {
  const disabled = byLabel(history.samples('vestibule_webhook_disabled'), 'webhook');
  const late = gauge('vestibule_webhook_oldest_undelivered_seconds', over(600), 'webhook')(history);
  return new Map([...late].filter(([id]) => disabled.get(id) !== 1));
};

const isOne: Test = (value) => value === 1;

/** The rules of deploy/prometheus/alerts.yaml in the same order, as far as one service can evaluate them by itself. */
export const alertRules: readonly Rule[] = [
  rule(
    'VestibuleNotReady',
    'critical',
    minute,
    gauge('vestibule_ready', (value) => value === 0),
  ),
  rule('VestibuleProcessesEnd', 'warning', 0, growth('process_ended', 15 * minute, over(2), ['all'])),
  rule('VestibuleBug', 'warning', 0, growth('refusal', 10 * minute, over(0), ['internal'])),
  rule(
    'VestibuleDatabaseUnavailable',
    'critical',
    minute,
    growth('refusal', 2 * minute, over(0), ['storage_unavailable']),
  ),
  rule(
    'VestibuleOverloaded',
    'warning',
    2 * minute,
    growth('refusal', 2 * minute, over(0), ['overloaded', 'signing_overloaded']),
  ),
  rule('VestibuleSlow', 'warning', 10 * minute, slowRoutes),
  rule('VestibuleWritesWait', 'warning', minute, gauge('vestibule_write_queue_oldest_seconds', over(1))),
  rule(
    'VestibuleSessionsShort',
    'warning',
    5 * minute,
    growth('session_wait', 5 * minute, over(0.5 * 5 * minute), ['all']),
  ),
  rule('VestibuleEventLoopLate', 'warning', 5 * minute, gauge('nodejs_eventloop_lag_p99_seconds', over(0.5))),
  rule(
    'VestibuleConnectionsRefused',
    'warning',
    5 * minute,
    growth('connection_refused', 5 * minute, over(0), 'each'),
  ),
  rule(
    'VestibuleSecretsGuessed',
    'warning',
    10 * minute,
    growth('secret_refused', 5 * minute, over(5 * minute), ['all']),
  ),
  rule(
    'VestibuleRevocationsCrowded',
    'warning',
    5 * minute,
    gauge('vestibule_revocations', (value) => value >= 160_000),
  ),
  rule('VestibuleProviderKeysNotFetched', 'warning', 0, growth('fetch_failed', 30 * minute, over(5), 'each')),
  rule('VestibuleProviderKeysOld', 'critical', 5 * minute, keysOld),
  rule(
    'VestibuleNothingVerified',
    'critical',
    minute,
    gauge('vestibule_jwks_stale_seconds_left', (value) => value === 0, 'provider'),
  ),
  rule(
    'VestibuleAlarmingKeys',
    'warning',
    5 * minute,
    gauge('vestibule_jwks_alarming_keys', over(0), 'provider'),
  ),
  rule(
    'VestibuleCertificateEnds',
    'warning',
    hour,
    gauge('vestibule_tls_certificate_seconds_left', (value) => value < 14 * day),
  ),
  rule('VestibuleLogLost', 'warning', 0, growth('log_lost', 10 * minute, over(0), ['all'])),
  rule('VestibuleScrubDue', 'info', day, gauge('vestibule_storage_scrub_due', isOne)),
  rule('VestibuleWebhookLate', 'warning', 5 * minute, webhooksLate),
  rule(
    'VestibuleWebhookFailing',
    'critical',
    0,
    gauge('vestibule_webhook_failing_seconds', over(day), 'webhook'),
  ),
  rule(
    'VestibuleWebhookDeadLetters',
    'warning',
    0,
    gauge('vestibule_webhook_dead_letters', over(0), 'webhook'),
  ),
  rule('VestibuleWebhookDisabled', 'info', hour, gauge('vestibule_webhook_disabled', isOne, 'webhook')),
];

/** Alerts that compare services, or need an observer that outlives this service. */
export const rulesForPrometheus = ['VestibuleDown', 'VestibuleRestarts', 'VestibuleReleasesDiffer'] as const;

function rule(name: string, severity: Rule['severity'], forSeconds: number, find: Rule['find']): Rule {
  return { name, severity, forSeconds, find };
}

/** Evaluates the rules whenever the metrics are read, and stores since when each condition holds. */
export class Alerts {
  readonly #clock: Clock;
  readonly #since = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  evaluate(history: History) {
    const now = this.#clock.monotonic();
    return alertRules.map(({ name, severity, forSeconds, find }) => {
      const before = this.#since.get(name);
      const found = find(history);
      const since = new Map([...found.keys()].map((about) => [about, before?.get(about) ?? now]));
      this.#since.set(name, since);
      const subjects = [...found].map(([about, value]) => {
        const seconds = (now - (since.get(about) as number)) / 1000;
        return { about, value, seconds, is_firing: seconds >= forSeconds };
      });
      const isFiring = subjects.some((subject) => subject.is_firing);
      const state = isFiring ? 'firing' : subjects.length > 0 ? 'pending' : 'ok';
      return { name, severity, state, for_seconds: forSeconds, subjects };
    });
  }
}
