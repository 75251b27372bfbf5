import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connections, type LoadGenerator } from './load.ts';
import { mePerSecond } from './me-latency.ts';
import type { Options } from './options.ts';
import { machine, resultsFolder, versions, writeJson } from './report.ts';
import { refusalSamples, type TokenRounds } from './token-rounds.ts';
import { summariseTokens } from './token-summary.ts';
import { tokenTables } from './token-table.ts';

/** Writes what was measured of POST /token as JSON and as Markdown, and answers with the Markdown. */
export function writeTokenReport(rounds: TokenRounds, generator: LoadGenerator, options: Options): string {
  const folder = resultsFolder(options);
  const date = new Date().toISOString();
  const summary = summariseTokens(rounds);
  const settings = {
    rounds: options.repeat,
    seconds: options.seconds,
    connections,
    mePerSecond,
    refusalSamples: refusalSamples(options),
    load: generator,
  };
  const samples = {
    peers: [...rounds.peers].flatMap(([{ name }, own]) =>
      own.map((round, index) => ({ peer: name, round: index + 1, ...round })),
    ),
    refusals: rounds.refusals.map((round, index) => ({ round: index + 1, ...round })),
  };
  const about = { date, machine: machine(), versions: versions(), settings };
  writeJson(join(folder, 'token.json'), { ...about, ...summary, samples });
  const text = `${tokenTables(summary)}\n${footnote(date, settings)}`;
  writeFileSync(join(folder, 'token.md'), text);
  return text;
}

function footnote(
  date: string,
  settings: { rounds: number; connections: number; load: string; refusalSamples: number },
): string {
  const { cores, memoryGigabytes, system, node } = machine();
  const refusals = settings.refusalSamples.toLocaleString('en');
  return `Median of ${settings.rounds} round(s), ${settings.connections} connections by ${settings.load}, ${refusals} refusals of each kind a round; ${cores} cores, ${memoryGigabytes} GB, ${system}, Node.js ${node}, ${date.slice(0, 10)}.
`;
}
