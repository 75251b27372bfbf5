import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { dashboardDocument } from '../../docs/dashboard-document.ts';
import { alertRules } from '../../src/ops/alert-table.ts';
import { Alerts, alertsElsewhere } from '../../src/ops/alerts.ts';
import { History, stepSeconds } from '../../src/ops/history.ts';
import { metricCatalogue } from '../../src/ops/metric-catalogue.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { readAlerts } from './prometheus.ts';

interface DeployedRule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
}

const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8'));
const deployed = groups.flatMap(({ rules }: { rules: DeployedRule[] }) => rules) as DeployedRule[];
const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 };

function seconds(duration = '0s'): number {
  return Number.parseInt(duration, 10) * secondsOf[duration.at(-1) as keyof typeof secondsOf];
}

describe('the alerts of the console', () => {
  it('equal those of alerts.yaml, and only the listed ones need Prometheus', () => {
    const here = deployed.filter(({ alert }) => !alertsElsewhere.includes(alert));
    const shown = new Alerts(new MovableClock()).evaluate(new History(new MovableClock()));
    const expected = here.map((rule) => [rule.alert, rule.labels.severity, seconds(rule.for)]);
    assert.deepEqual(
      shown.map((alert) => [alert.name, alert.severity, alert.for_seconds]),
      expected,
    );
    assert.deepEqual(alertsElsewhere, ['VestibuleDown', 'VestibuleRestarts', 'VestibuleReleasesDiffer']);
  });

  /** Real metrics, read every ten seconds of a clock that the test moves. */
  const stage = () => {
    const clock = new MovableClock();
    clock.holdTime(true);
    const metrics = createMetrics();
    const history = new History(clock);
    const alerts = new Alerts(clock);
    history.read(metrics.families('console'));
    const stateOf = (name: string) => {
      history.read(metrics.families('console'));
      return alerts.evaluate(history).find((alert) => alert.name === name)?.state;
    };
    const pass = (forSeconds: number, beside = () => {}) => {
      for (let passed = 0; passed < forSeconds; passed += stepSeconds) {
        beside();
        clock.advance(stepSeconds * 1000);
        history.read(metrics.families('console'));
        history.step();
        alerts.evaluate(history);
      }
    };
    return { metrics, history, stateOf, pass };
  };

  it('fire after their condition has held for "for", and end with it', () => {
    const { metrics, stateOf, pass } = stage();
    const refuse = () => metrics.countRefusal('storage_unavailable', 503);
    assert.equal(stateOf('VestibuleDatabaseUnavailable'), 'ok');
    refuse();
    assert.equal(stateOf('VestibuleDatabaseUnavailable'), 'pending');
    pass(50, refuse);
    assert.equal(stateOf('VestibuleDatabaseUnavailable'), 'pending');
    pass(10);
    assert.equal(stateOf('VestibuleDatabaseUnavailable'), 'firing');
    pass(130);
    assert.equal(stateOf('VestibuleDatabaseUnavailable'), 'ok');
  });

  it('name the slow route and fire for provider keys that cannot be fetched', () => {
    const { metrics, history, stateOf, pass } = stage();
    const slow = alertRules.find(({ name }) => name === 'VestibuleSlow');
    const tally = metrics.tallyOf('/slow');
    const events = metrics.tallyOf('/api/consumer/v1/events');
    pass(60, () => {
      for (let count = 0; count < 50; count += 1) metrics.tallyOf('/quick').add('GET', 200, 0.01);
      metrics.tallyOf('/quick').add('GET', 200, 0.9);
      tally.add('GET', 200, 1.1);
      events.add('GET', 200, 3_000);
    });
    assert.deepEqual([...(slow?.find?.(history).keys() ?? [])], ['/slow']);
    for (let count = 0; count < 6; count += 1) metrics.countKeyFetch('main', 'timeout');
    metrics.countKeyFetch('main', null);
    assert.equal(stateOf('VestibuleProviderKeysNotFetched'), 'firing');
    pass(1_810);
    assert.equal(stateOf('VestibuleProviderKeysNotFetched'), 'ok');
  });

  it('use at most 5 MB for the history of any number of series', () => {
    const { metrics, history, pass } = stage();
    for (let count = 0; count < 4_000; count += 1) metrics.tallyOf(`/route-${count}`).add('GET', 200, 0.1);
    pass(30);
    assert.ok(history.bytes > 4_000_000 && history.bytes <= 5_000_000, `${history.bytes} bytes`);
  });

  it('have one hour of history', () => {
    const { metrics, history, pass } = stage();
    pass(30, () => metrics.countRefusal('internal', 500));
    assert.equal(history.increases('refusal', 3_600).get('internal'), 3);
    pass(3_570);
    assert.equal(history.increases('refusal', 3_600).get('internal'), 3);
    pass(30);
    assert.equal(history.increases('refusal', 3_600).get('internal'), 0);
  });
});

it('every metric in alerts and dashboard exists in the service', () => {
  const { panels } = JSON.parse(dashboardDocument()) as { panels: { targets?: { expr: string }[] }[] };
  const onDashboard = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(onDashboard.length > 25);
  const known = new Set([...Object.keys(metricCatalogue), 'up']);
  for (const expression of [...readAlerts().map(({ expr }) => expr), ...onDashboard]) {
    const asked = metricsIn(expression);
    assert.ok(asked.length > 0, expression);
    for (const name of asked)
      assert.ok(known.has(name) || known.has(name.replace(/_bucket$/, '')), `${name} in ${expression}`);
  }
});

/** The names in an expression that are neither labels nor functions nor words of the language. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/(?<![\w.])[a-z_]\w*(?!\w*\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !['and', 'or', 'unless'].includes(name));
}
