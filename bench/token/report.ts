import { mePerSecond } from '../me-under-load/latency.ts';
import { meTable } from '../me-under-load/table.ts';
import { counted } from '../shared/markdown.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { type Rounds, samplesOf } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import type { TokenPeer } from './line-up.ts';
import type { RefusalRound } from './refusal-timing.ts';
import { summariseRefusals, summariseTokens } from './summary.ts';
import { refusalTable, tokenTable } from './table.ts';
import type { TokenRound } from './work.ts';

/** Writes what was measured of POST /token as JSON and as Markdown, and answers with the Markdown. */
export function writeTokenReport(
  rounds: Rounds<TokenPeer, TokenRound>,
  refusalRounds: readonly RefusalRound[],
  refusalSamples: number,
  stage: Stage,
): string {
  const { repeat, seconds } = stage.options;
  const peers = summariseTokens(rounds);
  const refusals = summariseRefusals(refusalRounds);
  const samples = {
    peers: samplesOf(rounds, ({ name }) => ({ peer: name })),
    refusals: refusalRounds.map((round, index) => ({ round: index + 1, ...round })),
  };
  const settings = { rounds: repeat, seconds, mePerSecond, refusalSamples };
  writeFigures('token', stage, settings, { peers, refusals, samples });
  const me = Object.values(peers).flatMap(({ title, me: own }) =>
    own === null ? [] : [[title, own] as const],
  );
  const tables = [tokenTable(peers), meTable('tokens', me), refusalTable(refusals)];
  return writeTables('token', stage, tables, `, ${counted(refusalSamples)} refusals of each kind a round`);
}
