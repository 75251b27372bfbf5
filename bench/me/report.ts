import { writeFigures, writeResult, writeTables } from '../shared/report.ts';
import { type Rounds, samplesOf } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import { callers } from '../shared/tokens.ts';
import { chart } from './chart.ts';
import type { Peer } from './line-up.ts';
import { summarise } from './summary.ts';
import { findings, verifyFindings, workTable } from './table.ts';
import { type Round, works } from './work.ts';

/** Writes what was measured as JSON, as a chart and as Markdown, and answers with the Markdown. */
export function writeMeReport(rounds: Rounds<Peer, Round>, stage: Stage): string {
  const { repeat, seconds, newTokens } = stage.options;
  const peers = summarise(rounds);
  const settings = { rounds: repeat, seconds, tokensSeenBefore: callers, newTokens };
  const samples = samplesOf(rounds, ({ name }) => ({ peer: name }));
  const isVerify = stage.options.subject === 'verify';
  const name = isVerify ? 'verify' : 'results';
  writeFigures(name, stage, settings, { peers, samples });
  if (!isVerify) writeResult('results.svg', stage, chart(peers));
  const found = isVerify ? verifyFindings(peers) : findings(peers);
  const tables = [...found, ...works.map((work) => workTable(peers, work))];
  return writeTables(name, stage, tables, ', server and load on a core each');
}
