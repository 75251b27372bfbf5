import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connections, type LoadGenerator } from './load.ts';
import { mePerSecond } from './me-latency.ts';
import type { Options } from './options.ts';
import type { RecordsMeasured } from './records-rounds.ts';
import { summariseRecords } from './records-summary.ts';
import { recordsTables } from './records-table.ts';
import { machine, resultsFolder, versions, writeJson } from './report.ts';
import { callers } from './tokens.ts';

/** Writes what was measured of records as JSON and as Markdown, and answers with the Markdown. */
export function writeRecordsReport(
  measured: RecordsMeasured,
  generator: LoadGenerator,
  options: Options,
): string {
  const folder = resultsFolder(options);
  const date = new Date().toISOString();
  const summary = summariseRecords(measured);
  const { repeat: rounds, seconds, sizes } = options;
  const settings = { rounds, seconds, sizes, callers, connections, mePerSecond, load: generator };
  const samples = measured.places.flatMap(({ peer, size, rounds: own }) =>
    own.map((round, index) => ({ peer: peer.name, size, round: index + 1, ...round })),
  );
  const about = { date, machine: machine(), versions: versions(), settings };
  writeJson(join(folder, 'records.json'), { ...about, ...summary, samples });
  const text = `${recordsTables(summary)}\n${footnote(date, rounds, generator)}`;
  writeFileSync(join(folder, 'records.md'), text);
  return text;
}

function footnote(date: string, rounds: number, generator: LoadGenerator): string {
  const { cores, memoryGigabytes, system, node } = machine();
  return `Median of ${rounds} round(s), ${connections} connections by ${generator}; the server on one core, the load on another, PostgreSQL on that of the load; ${cores} cores, ${memoryGigabytes} GB, ${system}, Node.js ${node}, ${date.slice(0, 10)}.
`;
}
