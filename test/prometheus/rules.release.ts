import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { dashboardDocument } from '../../docs/dashboard-document.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { alertsFile, promtool, readAlerts } from './prometheus.ts';

const clean = async (...parameters: string[]) => {
  const { code, output } = await promtool(parameters);
  assert.equal(code, 0, output);
};

describe('the Prometheus alerts', () => {
  it('promtool accepts the rules and the configuration', async () => {
    await clean('check', 'rules', alertsFile);
    await clean('check', 'config', 'deploy/prometheus/prometheus.yaml');
  });

  it('promtool confirms that each alert fires in its test case, and not before', () =>
    clean('test', 'rules', 'deploy/prometheus/alerts.test.yaml'));

  it('every alert has a test case that fires and one that does not', () => {
    const { tests } = parse(readFileSync('deploy/prometheus/alerts.test.yaml', 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const cases = tests.flatMap(({ alert_rule_test: found }) => found);
    for (const { alert } of readAlerts()) {
      const counts = cases.filter(({ alertname }) => alertname === alert).map((one) => one.exp_alerts.length);
      assert.ok(counts.includes(0) && counts.some((count) => count > 0), alert);
    }
  });

  it('docs/operations.md lists every alert, and no other', () => {
    const documented = [...operations().matchAll(/^\| `(Vestibule\w+)` \|/gm)].map(([, name]) => name);
    const alerts = readAlerts().map(({ alert }) => alert);
    assert.deepEqual(documented.sort(), alerts.sort());
  });
});

const { certificateFile, keyFile, remove } = await writeTlsFiles(newDirectory());
const provider = await TestProvider.start();
const texts: string[] = [];
for (const settings of [
  await newSettings('sqlite', {
    ...{ TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, BASE_URL: 'https://127.0.0.1' },
    ...provider.settings,
  }),
  await newSettings('postgres', { ...provider.settings, TEST_SERVE_OPTIONS: '--processes 2' }),
]) {
  const service = await startService(settings);
  texts.push(await service.metrics());
  await service.stop();
}
remove();
await provider.stop();

describe('the metrics', () => {
  /** The metric names of both databases, of one process and of several. */
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => String(name)),
  );

  it('promtool finds no problem in names, types and help texts', async () => {
    for (const text of texts) {
      const { code, output } = await promtool(['check', 'metrics'], text);
      assert.equal(code, 0, output);
      assert.equal(output, '');
    }
  });

  it('every name begins with vestibule_, process_ or nodejs_', () => {
    const others = names.filter((name) => !/^(vestibule|process|nodejs)_/.test(name));
    assert.deepEqual(others, []);
  });

  it('docs/operations.md lists every vestibule_ metric, and no other', () => {
    const documented = [...operations().matchAll(/`(vestibule_[a-z_]+)/g)].map(([, name]) => String(name));
    const ours = names.filter((name) => name.startsWith('vestibule_'));
    assert.deepEqual([...new Set(documented)].sort(), [...new Set(ours)].sort());
  });

  it('vestibule_build_info has the release, the Node.js version and the database', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const databases = texts.map((text) => {
      const line =
        /^vestibule_build_info\{version="(.*)",commit="(?:\w+)",database="(.*)",node="(.*)"\} 1$/m.exec(text);
      assert.deepEqual([line?.[1], line?.[3]], [version, process.version]);
      return line?.[2];
    });
    assert.deepEqual(databases, ['sqlite', 'postgres']);
  });
});

describe('the dashboard', () => {
  it('the file is what "npm run docs" makes of its table', () => {
    assert.equal(readFileSync('deploy/grafana/vestibule.json', 'utf8'), dashboardDocument());
  });

  it('no two panels overlap in position or id, and all fit the width', () => {
    const { panels } = JSON.parse(dashboardDocument()) as {
      panels: { id: number; gridPos: { x: number; y: number; w: number } }[];
    };
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    assert.equal(new Set(places).size, panels.length);
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
  });
});

function operations(): string {
  return readFileSync('docs/operations.md', 'utf8');
}
