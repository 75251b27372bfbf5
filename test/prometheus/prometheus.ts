import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { newDirectory, runProgram } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { findProgram } from '../support/run/programs.ts';

export const alertsFile = 'deploy/prometheus/alerts.yaml';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

export function readAlerts(): readonly Rule[] {
  const { groups } = parse(readFileSync(alertsFile, 'utf8')) as { groups: readonly { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Runs promtool to its end: what it printed, with its exit code. */
export async function promtool(parameters: readonly string[], input = '') {
  const { code, stdout, stderr } = await runProgram(await findProgram('promtool'), parameters, { input });
  return { code, output: stdout + stderr };
}

/** The alerts without "for" and with ranges of one minute, so that a test can wait for them. */
function hurried(rules: readonly Rule[]): string {
  const quick = rules.map(({ for: _, expr, ...rule }) => {
    return { ...rule, expr: expr.replaceAll(/\[\d+[smh]\]/g, '[1m]') };
  });
  return stringify({ groups: [{ name: 'vestibule', interval: '500ms', rules: quick }] });
}

/** A Prometheus that scrapes these processes every second and evaluates the alerts. */
export class Prometheus {
  readonly #url: string;
  readonly #targetsFile: string;
  readonly #targets: string[] = [];
  readonly #child: ChildProcess;

  constructor(url: string, targetsFile: string, child: ChildProcess) {
    this.#url = url;
    this.#targetsFile = targetsFile;
    this.#child = child;
  }

  static async start(opsUrls: readonly string[]): Promise<Prometheus> {
    const program = await findProgram('prometheus');
    const folder = newDirectory();
    const port = await freePort();
    const [configFile, targetsFile] = [`${folder}/prometheus.yaml`, `${folder}/targets.json`];
    writeFileSync(`${folder}/alerts.yaml`, hurried(readAlerts()));
    const found = { files: [targetsFile], refresh_interval: '1s' };
    const configuration = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' },
      rule_files: ['alerts.yaml'],
      scrape_configs: [{ job_name: 'vestibule', file_sd_configs: [found] }],
    };
    writeFileSync(configFile, stringify(configuration));
    const places = [`--config.file=${configFile}`, `--storage.tsdb.path=${folder}/data`];
    const parameters = [...places, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
    const child = spawn(program, parameters, { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    const prometheus = new Prometheus(url, targetsFile, child);
    for (const opsUrl of opsUrls) prometheus.watch(opsUrl);
    const readiness = async () => (await fetch(`${url}/-/ready`).catch(() => null))?.status;
    await until(readiness, 200, 'Prometheus does not start');
    return prometheus;
  }

  watch(opsUrl: string): void {
    this.#targets.push(new URL(opsUrl).host);
    writeFileSync(this.#targetsFile, JSON.stringify([{ targets: this.#targets }]));
  }

  async query(expression: string) {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { data } = (await response.json()) as {
      data: { result: readonly { metric: Record<string, string>; value: [number, string] }[] };
    };
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
  }

  async fired(): Promise<ReadonlySet<string>> {
    const found = await this.query('max by (alertname) (max_over_time(ALERTS{alertstate="firing"}[1h]))');
    return new Set(found.map(({ labels }) => String(labels.alertname)));
  }

  /** Repeats the fault until all of these alerts have fired. */
  async fires(names: readonly string[], fault: () => Promise<unknown> = async () => {}): Promise<void> {
    let isOver = false;
    const going = (async () => {
      while (!isOver) {
        await fault();
        await pause(50);
      }
    })();
    const fired = async () => [...(await this.fired())];
    try {
      const haveFired = (found: readonly string[]) => names.every((name) => found.includes(name));
      await until(fired, haveFired, `${names.join(' and ')} have to fire`, 60_000);
    } finally {
      isOver = true;
      await going;
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
