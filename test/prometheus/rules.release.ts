import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { dashboardDocument } from '../../docs/dashboard-document.ts';
import { newDirectory } from '../support/outcome.ts';
import { TestProvider } from '../support/provider.ts';
import { newSettings, type Service, startService } from '../support/service.ts';
import { writeTlsFiles } from '../support/tls-files.ts';
import { alertsFile, promtool, readAlerts } from './prometheus.ts';

const clean = async (...parameters: string[]) => {
  const { code, output } = await promtool(parameters);
  assert.equal(code, 0, output);
};

describe('the alerts', () => {
  it('are rules that Prometheus takes, and so is the configuration that names them', async () => {
    await clean('check', 'rules', alertsFile);
    await clean('check', 'config', 'deploy/prometheus/prometheus.yaml');
  });

  it('say what they should when they should, and nothing before', () =>
    clean('test', 'rules', 'deploy/prometheus/alerts.test.yaml'));

  it('are all tested, at a time when they fire and at one when they do not', () => {
    const { tests } = parse(readFileSync('deploy/prometheus/alerts.test.yaml', 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const cases = tests.flatMap(({ alert_rule_test: found }) => found);
    for (const { alert } of readAlerts()) {
      const counts = cases.filter(({ alertname }) => alertname === alert).map((one) => one.exp_alerts.length);
      assert.ok(counts.includes(0) && counts.some((count) => count > 0), alert);
    }
  });

  it('stand in docs/operations.md, each with what to do', () => {
    const documented = [...operations().matchAll(/^\| `(Vestibule\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(
      documented.sort(),
      readAlerts()
        .map(({ alert }) => alert)
        .sort(),
    );
  });
});

describe('the metrics', () => {
  let provider: TestProvider;
  const services: Service[] = [];
  const texts: string[] = [];
  before(async () => {
    provider = await TestProvider.start();
    const { certificateFile, keyFile, remove } = await writeTlsFiles(newDirectory());
    const tls = { TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, BASE_URL: 'https://127.0.0.1' };
    for (const settings of [
      await newSettings('sqlite', { ...provider.settings, ...tls }),
      await newSettings('postgres', { ...provider.settings, TEST_SERVE_OPTIONS: '--processes 2' }),
    ])
      services.push(await startService(settings));
    remove();
    for (const service of services) texts.push(await service.metrics());
  });
  after(async () => {
    for (const service of services) await service.stop();
    await provider.stop();
  });
  /** Those of both databases, of one process and of several. */
  const names = () =>
    new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => String(name))));

  it('are as Prometheus asks metrics to be', async () => {
    for (const text of texts) {
      const { code, output } = await promtool(['check', 'metrics'], text);
      assert.equal(code, 0, output);
      assert.equal(output, '');
    }
  });

  it('are ours by their names, or those that every Node.js process has', () => {
    const others = [...names()].filter((name) => !/^(vestibule|process|nodejs)_/.test(name));
    assert.deepEqual(others, []);
  });

  it('stand in docs/operations.md, all of ours and no others', () => {
    const documented = [...operations().matchAll(/`(vestibule_[a-z_]+)/g)].map(([, name]) => String(name));
    const ours = [...names()].filter((name) => name.startsWith('vestibule_'));
    assert.deepEqual([...new Set(documented)].sort(), ours.sort());
  });

  it('say which release runs, on which Node.js and which database', () => {
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
  it('is what "npm run docs" makes of its table', () => {
    assert.equal(readFileSync('deploy/grafana/vestibule.json', 'utf8'), dashboardDocument());
  });

  it('has a place of its own for each of its graphs', () => {
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
