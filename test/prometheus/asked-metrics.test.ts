import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dashboardDocument } from '../../docs/dashboard-document.ts';
import { metricCatalogue } from '../../src/ops/metric-catalogue.ts';
import { readAlerts } from './prometheus.ts';

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
