import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { connections } from './load.ts';
import type { Stage } from './stage.ts';

const benchFolder = join(import.meta.dirname, '..');

/** Writes figures as JSON, with the machine, the versions and the settings they came from. */
export function writeFigures(name: string, stage: Stage, settings: object, figures: object): void {
  const about = {
    date: new Date().toISOString(),
    machine: machine(),
    versions: versions(),
    settings: { ...settings, connections, load: stage.generator },
  };
  writeResult(`${name}.json`, stage, `${JSON.stringify({ ...about, ...figures }, null, 2)}\n`);
}

/** Writes tables as Markdown, with a line about the machine under them, and answers with the whole text. */
export function writeTables(name: string, stage: Stage, tables: readonly string[], how: string): string {
  const { cores, memoryGigabytes, system, node } = machine();
  const date = new Date().toISOString().slice(0, 10);
  const rounds = `Median of ${stage.options.repeat} round(s), ${connections} connections by ${stage.generator}`;
  const on = `${cores} cores, ${memoryGigabytes} GB, ${system}, Node.js ${node}, ${date}`;
  const text = [...tables, `${rounds}${how}; ${on}.\n`].join('\n');
  writeResult(`${name}.md`, stage, text);
  return text;
}

/** Only a full run may replace the numbers that are shown to others. */
export function writeResult(file: string, { options }: Stage, text: string): void {
  const folder = join(benchFolder, 'results', ...(options.partial ? ['partial'] : []));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}

function machine() {
  const [first] = cpus();
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
  };
}

function versions(): Record<string, string> {
  return JSON.parse(readFileSync(join(benchFolder, 'package.json'), 'utf8')).dependencies;
}
