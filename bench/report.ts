import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { chart } from './chart.ts';
import { connections, type LoadGenerator } from './load.ts';
import type { Round } from './measure.ts';
import type { MemoryStep } from './memory.ts';
import type { Options } from './options.ts';
import { type Rounds, summarise } from './summary.ts';
import { findings, tables } from './table.ts';
import { callers } from './tokens.ts';

/** Writes what was measured as JSON, as Markdown and as a chart, and answers with the Markdown. */
export function writeReport(
  rounds: Rounds,
  floor: readonly Round[],
  generator: LoadGenerator,
  options: Options,
): string {
  const folder = resultsFolder(options);
  const peers = summarise(rounds, floor);
  const settings = {
    rounds: options.repeat,
    seconds: options.seconds,
    tokensSeenBefore: callers,
    newTokens: options.newTokens,
    connections,
    load: generator,
  };
  const samples = [...rounds].flatMap(([{ name }, own]) =>
    own.map((round, index) => ({ peer: name, round: index + 1, ...round })),
  );
  const about = { date: new Date().toISOString(), machine: machine(), versions: versions(), settings };
  writeJson(join(folder, 'results.json'), { ...about, peers, samples });
  writeFileSync(join(folder, 'results.svg'), chart(peers));
  const text = [findings(peers), tables(peers), footnote(about.date, settings)].join('\n');
  writeFileSync(join(folder, 'results.md'), text);
  return text;
}

/** The memory work has a file of its own. */
export function writeMemory(steps: readonly MemoryStep[], options: Options): void {
  const about = { date: new Date().toISOString(), machine: machine() };
  writeJson(join(resultsFolder(options), 'memory.json'), { ...about, steps });
}

/** Only a full run may replace the numbers that are shown to others. */
export function resultsFolder({ partial }: Options): string {
  const folder = join(import.meta.dirname, 'results', ...(partial ? ['partial'] : []));
  mkdirSync(folder, { recursive: true });
  return folder;
}

function footnote(date: string, settings: { rounds: number; load: string; connections: number }): string {
  const { cores, memoryGigabytes, system, node } = machine();
  return `In parentheses: the ratio to the bare server of the same round. Median of ${settings.rounds} round(s), ${settings.connections} connections by ${settings.load}, server and load on a core each; ${cores} cores, ${memoryGigabytes} GB, ${system}, Node.js ${node}, ${date.slice(0, 10)}.
`;
}

export function machine() {
  const [first] = cpus();
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
  };
}

export function versions(): Record<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8');
  return JSON.parse(text).dependencies;
}

export function writeJson(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
